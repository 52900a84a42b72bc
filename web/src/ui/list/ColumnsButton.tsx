import { SettingOutlined } from "@ant-design/icons";
import { Checkbox, Popover } from "antd";
import { useTranslation } from "react-i18next";
import { IconButton } from "../IconButton";
import type { ListColumn } from "./types";
import styles from "./ListPage.module.css";

interface ColumnsButtonProps<T> {
  columns: ListColumn<T>[];
  isShown: (key: string) => boolean;
  setShown: (key: string, isShown: boolean) => void;
}

export function ColumnsButton<T>({ columns, isShown, setShown }: ColumnsButtonProps<T>) {
  const { t } = useTranslation();
  const choices = (
    <div className={styles.columns}>
      {columns.slice(1).map((column) => (
        <Checkbox key={column.key} checked={isShown(column.key)} onChange={(event) => setShown(column.key, event.target.checked)}>
          {column.title}
        </Checkbox>
      ))}
    </div>
  );
  return (
    <Popover trigger="click" placement="bottomRight" title={t("list.columns")} content={choices}>
      <IconButton icon={<SettingOutlined aria-hidden />} label={t("list.columns")} />
    </Popover>
  );
}
