-- Customers of the shop.
CREATE TABLE customers (
    id SERIAL PRIMARY KEY,
    name TEXT NOT NULL
);

CREATE INDEX idx_name ON customers (name);

CREATE VIEW active_customers AS
SELECT id, name FROM customers WHERE active;

CREATE FUNCTION total(a INTEGER) RETURNS INTEGER AS $$
    SELECT a + 1;
$$ LANGUAGE sql;

CREATE TYPE mood AS ENUM ('sad', 'ok');

INSERT INTO customers (name) VALUES ('Ada');
