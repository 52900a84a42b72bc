import { AppstoreOutlined, ArrowLeftOutlined, BookOutlined, LeftOutlined, PictureOutlined, QuestionCircleOutlined, RightOutlined, SettingOutlined } from "@ant-design/icons";
import { Button, Checkbox, InputNumber, Popover, Slider } from "antd";
import type { ComponentRef } from "react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { LanguageButton } from "@/i18n/LanguageButton";
import { ThemeButton } from "@/theme/ThemeButton";
import { IconButton } from "@/ui/IconButton";
import type { ActionId } from "../actions";
import { useItemList, useSession, useSessionState } from "../session/use-session";
import { useViewOptions, viewOptions } from "../session/view-options";
import { SaveState } from "./SaveState";
import styles from "../Workbench.module.css";

export type InputNumberRef = ComponentRef<typeof InputNumber>;

interface TopBarProps {
  dataset: string;
  home: string;
  run: (id: ActionId) => void;
  jumpRef: React.RefObject<InputNumberRef | null>;
}

export function TopBar({ dataset, home, run, jumpRef }: TopBarProps) {
  const { t } = useTranslation("annotate");
  const session = useSession();
  const view = useSessionState((state) => state.view);
  return (
    <header className={styles.top}>
      <Link to={home} className={styles.home} aria-label={t("backTo", { name: dataset })}>
        <ArrowLeftOutlined aria-hidden />
      </Link>
      <h1 className={styles.name} title={dataset}>
        {dataset} <span className={styles.versionName}>{t("versionName", { number: session.version.number })}</span>
      </h1>
      <span className={styles.gap} />
      <Position run={run} jumpRef={jumpRef} />
      <SaveState />
      {session.kind.hasGrid && <IconButton icon={view === "grid" ? <PictureOutlined aria-hidden /> : <AppstoreOutlined aria-hidden />} label={view === "grid" ? t("viewOne") : t("viewGrid")} onClick={() => run("grid")} />}
      <IconButton icon={<BookOutlined aria-hidden />} label={t("action.guidelines")} onClick={() => run("guidelines")} />
      {session.kind.view === "picture" && <ViewMenu />}
      <IconButton icon={<QuestionCircleOutlined aria-hidden />} label={t("action.help")} onClick={() => run("help")} />
      <span className={styles.onlyWide}>
        <LanguageButton />
        <ThemeButton />
      </span>
    </header>
  );
}

function Position({ run, jumpRef }: { run: (id: ActionId) => void; jumpRef: React.RefObject<InputNumberRef | null> }) {
  const { t } = useTranslation("annotate");
  const session = useSession();
  const seq = useSessionState((state) => state.doc?.item.seq ?? null);
  const { total, isTotalCapped, filter, order, only } = useItemList();
  // The number is the item's own: of a part of them it says nothing about how many there are.
  const isPart = only !== null || order !== "seq" || Object.values(filter).some((value) => value !== undefined);
  const [typed, setTyped] = useState<number | null>(null);
  const jump = () => {
    if (typed !== null && typed !== seq) void session.open(typed);
    setTyped(null);
  };
  return (
    <span className={styles.position}>
      <IconButton size="small" icon={<LeftOutlined aria-hidden />} label={t("action.previous")} onClick={() => run("previous")} />
      <InputNumber ref={jumpRef} size="small" controls={false} min={1} precision={0} className={styles.jump} value={typed ?? seq} aria-label={t("action.jump")} onChange={setTyped} onPressEnter={(event) => {
        jump();
        event.currentTarget.blur();
      }} onBlur={jump} />
      <span className={styles.total}>{isPart ? t("listed", { count: total }) : t(isTotalCapped ? "ofMoreThan" : "of", { total })}</span>
      <IconButton size="small" icon={<RightOutlined aria-hidden />} label={t("action.next")} onClick={() => run("next")} />
    </span>
  );
}

function ViewMenu() {
  const { t } = useTranslation("annotate");
  const options = useViewOptions();
  const slider = (name: "brightness" | "contrast" | "fill", min: number, max: number) => (
    <label className={styles.sliderRow}>
      <span>{t(`view.${name}`)}</span>
      <Slider min={min} max={max} step={0.02} value={options[name]} tooltip={{ formatter: (value) => `${Math.round((value ?? 0) * 100)} %` }} ariaLabelForHandle={t(`view.${name}`)} onChange={(value) => viewOptions.set({ [name]: value })} />
    </label>
  );
  const check = (name: "isSnapping" | "hasTags" | "hasMagnifier" | "keepView") => (
    <Checkbox checked={options[name]} onChange={(event) => viewOptions.set({ [name]: event.target.checked })}>
      {t(`view.${name}`)}
    </Checkbox>
  );
  return (
    <Popover
      trigger="click"
      placement="bottomRight"
      content={
        <div className={styles.viewMenu}>
          {slider("brightness", 0.3, 3)}
          {slider("contrast", 0.3, 3)}
          {slider("fill", 0, 0.6)}
          {check("isSnapping")}
          {check("hasTags")}
          {check("hasMagnifier")}
          {check("keepView")}
          <Button size="small" onClick={() => viewOptions.reset()}>
            {t("view.reset")}
          </Button>
        </div>
      }
    >
      <IconButton icon={<SettingOutlined aria-hidden />} label={t("view.label")} />
    </Popover>
  );
}
