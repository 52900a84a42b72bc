import type { ReactNode } from "react";
import styles from "./Page.module.css";

interface PageHeaderProps {
  title: ReactNode;
  description?: ReactNode;
  /** One line of what is known about it, as wide as there is room. */
  facts?: ReactNode;
  actions?: ReactNode;
}

export function PageHeader({ title, description, facts, actions }: PageHeaderProps) {
  return (
    <header className={styles.header}>
      <div className={styles.heading}>
        <h1 className={styles.title}>{title}</h1>
        {description && <div className={styles.description}>{description}</div>}
        {facts && <div className={styles.facts}>{facts}</div>}
      </div>
      {actions && <div className={styles.actions}>{actions}</div>}
    </header>
  );
}
