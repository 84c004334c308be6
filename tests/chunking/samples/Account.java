package com.example.bank;

import java.util.List;
import static java.lang.Math.max;

/** An account with a balance. */
@Entity
public class Account extends Base implements Comparable<Account> {
    public static final int LIMIT = 100, FLOOR = 0;
    private long balance;

    public Account(long balance) {
        this.balance = balance;
    }

    /**
     * Adds money.
     */
    @Override
    public void deposit(long amount) {
        if (amount < 0) {
            throw new IllegalArgumentException();
        }
        balance += amount;
    }

    public enum Kind {
        SAVINGS, CHECKING("c") {
            @Override int rate() { return 2; }
        };

        int rate() { return 1; }
    }

    interface Listener {
        int MAX = 3;
        void changed(Account account);
    }
}

record Transfer(Account from, Account to) {
    Transfer {
        if (from == to) throw new IllegalStateException();
    }
}

@interface Audited {
    String value() default "";
}
