/** Two people changed the same annotation: both versions drawn, and a choice for each. */
import { Alert, Button, Modal, Radio } from "antd";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useThemeMode } from "@/theme/mode";
import { workbenchColours } from "@/theme/tokens";
import type { WorkbenchColours } from "@/theme/tokens";
import { drawShape } from "../engine/draw";
import { clock } from "../engine/waveform";
import { boundsOf, grown, union } from "../model/geometry";
import type { Rect } from "../model/geometry";
import { newId } from "../model/ids";
import { resolved } from "../model/merge";
import type { Choice, Clash } from "../model/merge";
import { maskExtent } from "../model/rle";
import { isShape } from "../model/types";
import type { Annotation, Label } from "../model/types";
import { useSession, useSessionState } from "../session/use-session";
import type { Session } from "../session/session";
import styles from "../Workbench.module.css";

export function ClashDialog() {
  const { t } = useTranslation("annotate");
  const session = useSession();
  const seq = useSessionState((state) => state.doc?.item.seq ?? -1);
  const clash = useSessionState(() => session.outbox.find(seq)?.clash ?? null);
  const labels = useSessionState((state) => state.labels);
  const [choices, setChoices] = useState<Record<string, Choice>>({});
  if (!clash) return null;
  const isDecided = clash.clashes.every(({ id }) => choices[id] !== undefined);
  const chooseAll = (choice: Choice) => setChoices(Object.fromEntries(clash.clashes.map(({ id }) => [id, choice])));
  const settle = () => {
    session.settle(seq, resolved(clash.merged, clash.clashes, choices, newId));
    setChoices({});
  };
  return (
    <Modal open width={760} closable={false} mask={{ closable: false }} keyboard={false} title={t("clash.title", { count: clash.clashes.length })} okText={t("clash.ok")} okButtonProps={{ disabled: !isDecided, title: isDecided ? undefined : t("clash.chooseFirst") }} cancelButtonProps={{ style: { display: "none" } }} onOk={settle}>
      <Alert type="warning" showIcon title={clash.by ? t("clash.by", { name: clash.by }) : t("clash.bySomebody")} description={t("clash.text")} />
      <div className={styles.buttons}>
        <Button size="small" onClick={() => chooseAll("mine")}>{t("clash.allMine")}</Button>
        <Button size="small" onClick={() => chooseAll("theirs")}>{t("clash.allTheirs")}</Button>
        <Button size="small" onClick={() => chooseAll("both")}>{t("clash.allBoth")}</Button>
      </div>
      <ul className={styles.clashes}>
        {clash.clashes.map((one) => (
          <li key={one.id}>
            <ClashPicture session={session} seq={seq} clash={one} />
            <div>
              <p>
                <span className={styles.mine}>{t("clash.mine")}</span> {textOf(one.mine, labels, t("clash.deleted"))}
              </p>
              <p>
                <span className={styles.theirs}>{t("clash.theirs")}</span> {textOf(one.theirs, labels, t("clash.deleted"))}
              </p>
              <Radio.Group
                value={choices[one.id]}
                onChange={(event) => setChoices({ ...choices, [one.id]: event.target.value as Choice })}
                options={[
                  { value: "mine", label: t("clash.takeMine") },
                  { value: "theirs", label: t("clash.takeTheirs") },
                  ...(one.mine && one.theirs ? [{ value: "both", label: t("clash.takeBoth") }] : []),
                ]}
              />
            </div>
          </li>
        ))}
      </ul>
    </Modal>
  );
}

function textOf(annotation: Annotation | null, labels: Label[], deleted: string): string {
  if (!annotation) return deleted;
  const label = labels.find((one) => one.number === annotation.label)?.name ?? "";
  const time = annotation.type === "segment" ? `${clock(annotation.start, true)}–${clock(annotation.end, true)}` : "";
  const size = annotation.type === "box" ? `${Math.round(annotation.w)}×${Math.round(annotation.h)}` : "";
  return [label, size, time, annotation.text].filter(Boolean).join(" · ");
}

const [WIDTH, HEIGHT] = [220, 150];

function ClashPicture({ session, seq, clash }: { session: Session; seq: number; clash: Clash }) {
  const { t } = useTranslation("annotate");
  const mode = useThemeMode();
  const canvas = useRef<HTMLCanvasElement>(null);
  const shapes = [clash.mine, clash.theirs].filter((one) => one !== null).filter(isShape);
  useEffect(() => {
    if (canvas.current && shapes.length > 0) drawBoth(canvas.current, session, seq, clash, workbenchColours(mode));
  });
  if (shapes.length === 0) return null;
  return <canvas ref={canvas} width={WIDTH * 2} height={HEIGHT * 2} className={styles.clashPicture} role="img" aria-label={t("clash.picture")} />;
}

function drawBoth(canvas: HTMLCanvasElement, session: Session, seq: number, clash: Clash, colours: WorkbenchColours): void {
  const g = canvas.getContext("2d");
  const sides = [[clash.theirs, colours.theirs], [clash.mine, colours.mine]] as const;
  const extent = (one: Annotation | null): Rect | null => (one && isShape(one) ? boundsOf(one, (mask) => (mask.type === "mask" ? maskExtent(mask) : { x: 0, y: 0, w: 0, h: 0 })) : null);
  const around = sides.reduce<Rect | null>((sum, [one]) => (extent(one) ? union(sum, extent(one) as Rect) : sum), null);
  if (!g || !around) return;
  const area = grown(around, Math.max(around.w, around.h) * 0.3 + 8);
  const scale = Math.min(canvas.width / area.w, canvas.height / area.h);
  g.setTransform(1, 0, 0, 1, 0, 0);
  g.clearRect(0, 0, canvas.width, canvas.height);
  g.setTransform(scale, 0, 0, scale, canvas.width / 2 - (area.x + area.w / 2) * scale, canvas.height / 2 - (area.y + area.h / 2) * scale);
  session.pictures.find(seq)?.draw(g, { x: area.x - area.w, y: area.y - area.h, w: area.w * 3, h: area.h * 3 }, scale);
  sides.forEach(([one, colour], i) => {
    if (one && isShape(one)) drawShape(g, one, session.get().labels.find((label) => label.number === one.label) ?? null, { colour, unit: 2 / scale, fill: 0.15, width: 2, isDashed: i === 0 });
  });
}
