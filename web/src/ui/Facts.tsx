import type { ReactNode } from "react";
import styles from "./Facts.module.css";

export interface Fact {
  key: string;
  label: string;
  value: ReactNode;
}

/** Labelled facts about a thing, in as many columns as there is room for. */
export function Facts({ facts }: { facts: Fact[] }) {
  return (
    <dl className={styles.facts}>
      {facts.map((fact) => (
        <div key={fact.key}>
          <dt>{fact.label}</dt>
          <dd>{fact.value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A bordered surface with a heading, for one subject of a page. */
export function Panel({ title, actions, children }: { title?: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className={styles.panel}>
      {(title || actions) && (
        <header className={styles.head}>
          <h2>{title}</h2>
          {actions}
        </header>
      )}
      {children}
    </section>
  );
}
