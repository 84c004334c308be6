import React, { useState } from 'react';

interface Props {
  title: string;
}

export const Panel: React.FC<Props> = ({ title }) => {
  const [open, setOpen] = useState(false);
  return (
    <section onClick={() => setOpen(!open)}>
      <h2>{title}</h2>
    </section>
  );
};

export default function App(): JSX.Element {
  return <Panel title="Hello" />;
}

export const Memo = React.memo(function Inner(props: Props) {
  return <p>{props.title}</p>;
});
