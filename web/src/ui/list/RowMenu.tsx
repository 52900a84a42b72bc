import { MoreOutlined } from "@ant-design/icons";
import { Dropdown } from "antd";
import { useTranslation } from "react-i18next";
import { IconButton } from "../IconButton";
import type { RowAction } from "./types";
import styles from "./ListPage.module.css";

/** What can be done with one row; an action that is not possible now says why instead of vanishing. */
export function RowMenu({ name, actions }: { name: string; actions: RowAction[] }) {
  const { t } = useTranslation();
  if (actions.length === 0) return null;
  const items = actions.map((action) => ({
    key: action.key,
    icon: action.icon,
    danger: action.isDanger,
    disabled: action.disabledReason !== undefined,
    label: action.disabledReason ? (
      <span className={styles.refused}>
        {action.label}
        <small>{action.disabledReason}</small>
      </span>
    ) : (
      action.label
    ),
    onClick: action.onClick,
  }));
  return (
    <Dropdown trigger={["click"]} menu={{ items }} placement="bottomRight">
      <IconButton size="small" icon={<MoreOutlined aria-hidden />} label={t("list.actionsOf", { name })} />
    </Dropdown>
  );
}
