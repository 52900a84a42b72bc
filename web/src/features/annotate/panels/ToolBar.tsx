import { AimOutlined, CompressOutlined, RedoOutlined, SearchOutlined, UndoOutlined, ZoomInOutlined, ZoomOutOutlined } from "@ant-design/icons";
import { Button, Divider, InputNumber, Tooltip } from "antd";
import { useTranslation } from "react-i18next";
import { ACTIONS, keysOf } from "../actions";
import type { ActionId, KeyChoices } from "../actions";
import type { ToolName } from "../model/kinds";
import { useSession, useSessionState } from "../session/use-session";
import { useViewOptions } from "../session/view-options";
import { ToolIcon } from "./icons";
import { keyText } from "./key-text";
import styles from "../Workbench.module.css";

interface ToolBarProps {
  keys: KeyChoices;
  run: (id: ActionId) => void;
}

/** Tools, undo and the view, one below the other. */
export function ToolBar({ keys, run }: ToolBarProps) {
  const { t } = useTranslation("annotate");
  const session = useSession();
  const tool = useSessionState((state) => state.tool);
  const canUndo = useSessionState((state) => state.canUndo);
  const canRedo = useSessionState((state) => state.canRedo);
  const brushSize = useSessionState((state) => state.brushSize);
  const { isSnapping, hasMagnifier } = useViewOptions();
  const button = (id: ActionId, icon: React.ReactNode, more: { isOn?: boolean; isDisabled?: boolean } = {}) => {
    const key = keysOf(ACTIONS.find((action) => action.id === id) ?? { id, group: "tools", keys: [], run: () => undefined }, keys)[0];
    const label = t(`action.${id}` as "action.undo");
    return (
      <Tooltip key={id} placement="right" title={key ? `${label} (${keyText(key)})` : label}>
        <Button type="text" className={styles.tool} aria-label={label} aria-pressed={more.isOn} data-on={more.isOn || undefined} disabled={more.isDisabled} icon={icon} onClick={() => run(id)} />
      </Tooltip>
    );
  };
  const isPicture = session.kind.view === "picture";
  return (
    <nav className={styles.tools} aria-label={t("tools")}>
      <div className={styles.toolList} role="toolbar" aria-label={t("tools")} aria-orientation="vertical">
        {session.kind.tools.map((name: ToolName) => button(`tool.${name}`, <ToolIcon name={name} />, { isOn: tool === name }))}
        {(tool === "brush" || tool === "eraser") && (
          <InputNumber size="small" className={styles.brush} min={1} max={400} controls={false} value={brushSize} aria-label={t("brushSize")} onChange={(value) => value && session.setBrush(value)} />
        )}
        {session.kind.tools.length > 0 && <Divider className={styles.divider} />}
        {button("undo", <UndoOutlined aria-hidden />, { isDisabled: !canUndo })}
        {button("redo", <RedoOutlined aria-hidden />, { isDisabled: !canRedo })}
        {isPicture && (
          <>
            <Divider className={styles.divider} />
            {button("zoomIn", <ZoomInOutlined aria-hidden />)}
            {button("zoomOut", <ZoomOutOutlined aria-hidden />)}
            {button("fit", <CompressOutlined aria-hidden />)}
            {session.kind.tools.length > 0 && button("snap", <AimOutlined aria-hidden />, { isOn: isSnapping })}
            {button("magnifier", <SearchOutlined aria-hidden />, { isOn: hasMagnifier })}
          </>
        )}
      </div>
    </nav>
  );
}
