import { CaretRightOutlined, PauseOutlined, ZoomInOutlined, ZoomOutOutlined } from "@ant-design/icons";
import { Select, Skeleton } from "antd";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useImperativeHandle, useRef, useState } from "react";
import type { Ref } from "react";
import { useTranslation } from "react-i18next";
import { useThemeMode } from "@/theme/mode";
import { workbenchColours } from "@/theme/tokens";
import { ErrorState } from "@/ui/ErrorState";
import { IconButton } from "@/ui/IconButton";
import { clock, Peaks, Waveform } from "../engine/waveform";
import type { WaveDesk } from "../engine/waveform";
import type { Segment } from "../model/types";
import { useSession, useSessionState } from "../session/use-session";
import type { Session } from "../session/session";
import styles from "../Workbench.module.css";

export interface SoundHandle {
  play(): void;
  seek(by: number): void;
  zoom(factor: number): void;
  cancel(): boolean;
}

const SPEEDS = [0.5, 0.75, 1, 1.25, 1.5, 2];

/** Sound to listen to, and to cut into segments. */
export function AudioView({ handle }: { handle: Ref<SoundHandle | null> }) {
  const session = useSession();
  const item = useSessionState((state) => state.doc?.item ?? null);
  const query = useQuery({
    queryKey: ["annotate", "sound", item?.digest],
    queryFn: () => decoded(session, item?.seq ?? 0),
    enabled: item !== null,
    staleTime: Infinity,
    gcTime: 60_000,
    retry: false,
  });
  if (!item) return null;
  if (query.error) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton active className={styles.reading} />;
  return <Player key={item.seq} sound={query.data} address={session.api.contentAddress(item)} name={item.path} handle={handle} />;
}

interface Sound {
  peaks: Peaks;
  duration: number;
}

async function decoded(session: Session, seq: number): Promise<Sound> {
  const bytes = await (await session.api.content(seq)).arrayBuffer();
  const context = new OfflineAudioContext(1, 1, 22_050);
  const buffer = await context.decodeAudioData(bytes);
  return { peaks: new Peaks(buffer.getChannelData(0), buffer.sampleRate), duration: buffer.duration };
}

function Player({ sound, address, name, handle }: { sound: Sound; address: string; name: string; handle: Ref<SoundHandle | null> }) {
  const { t } = useTranslation("annotate");
  const session = useSession();
  const mode = useThemeMode();
  const root = useRef<HTMLDivElement>(null);
  const audio = useRef<HTMLAudioElement>(null);
  const wave = useRef<Waveform | null>(null);
  const colours = useRef(workbenchColours(mode));
  const [isPlaying, setPlaying] = useState(false);
  const [time, setTime] = useState(0);
  const [speed, setSpeed] = useState(1);

  useEffect(() => {
    if (!root.current) return;
    const made = new Waveform(root.current, sound.peaks, sound.duration, waveDesk(session, audio), () => colours.current);
    wave.current = made;
    const end = session.subscribe(() => made.redraw());
    return () => {
      end();
      made.close();
    };
  }, [session, sound]);
  useEffect(() => {
    colours.current = workbenchColours(mode);
    wave.current?.redraw();
  }, [mode]);
  useEffect(() => {
    if (!isPlaying) return;
    let frame = requestAnimationFrame(function tick() {
      const now = audio.current?.currentTime ?? 0;
      setTime(now);
      wave.current?.follow(now);
      frame = requestAnimationFrame(tick);
    });
    return () => cancelAnimationFrame(frame);
  }, [isPlaying]);

  const hands: SoundHandle = {
    play: () => (audio.current?.paused ? void audio.current.play() : audio.current?.pause()),
    seek: (by) => {
      if (!audio.current) return;
      audio.current.currentTime = Math.min(sound.duration, Math.max(0, audio.current.currentTime + by));
      setTime(audio.current.currentTime);
      wave.current?.follow(audio.current.currentTime);
    },
    zoom: (factor) => wave.current?.zoom(factor),
    cancel: () => wave.current?.cancel() ?? false,
  };
  useImperativeHandle(handle, () => hands);
  return (
    <div className={styles.sound}>
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- worked on by pointer and keys */}
      <div ref={root} className={styles.wave} tabIndex={0} role="application" aria-label={t("waveform", { name })} data-testid="waveform" />
      <div className={styles.soundBar}>
        <IconButton type="primary" icon={isPlaying ? <PauseOutlined aria-hidden /> : <CaretRightOutlined aria-hidden />} label={isPlaying ? t("pause") : t("play")} onClick={hands.play} />
        <span className={styles.clock}>
          {clock(time, true)} / {clock(sound.duration, true)}
        </span>
        <Select size="small" value={speed} aria-label={t("speed")} options={SPEEDS.map((value) => ({ value, label: `${value}×` }))} onChange={(value: number) => {
          setSpeed(value);
          if (audio.current) audio.current.playbackRate = value;
        }} />
        <span className={styles.gap} />
        <IconButton icon={<ZoomOutOutlined aria-hidden />} label={t("action.zoomOut")} onClick={() => hands.zoom(0.5)} />
        <IconButton icon={<ZoomInOutlined aria-hidden />} label={t("action.zoomIn")} onClick={() => hands.zoom(2)} />
      </div>
      {/* eslint-disable-next-line jsx-a11y/media-has-caption -- transcribing it is what this page is for */}
      <audio ref={audio} src={address} preload="auto" onPlay={() => setPlaying(true)} onPause={() => setPlaying(false)} onSeeked={() => {
        setTime(audio.current?.currentTime ?? 0);
        wave.current?.redraw();
      }} />
    </div>
  );
}

function waveDesk(session: Session, audio: React.RefObject<HTMLAudioElement | null>): WaveDesk {
  return {
    segments: () => (session.get().doc?.annotations ?? []).filter((one): one is Segment => one.type === "segment"),
    labelOf: (segment) => session.get().labels.find((label) => label.number === segment.label) ?? null,
    selection: () => session.get().selection,
    select: (ids) => session.select(ids),
    canDraw: () => session.kind.hasSegments && !session.isReadOnly,
    put: (segment, isNew) => {
      if (!isNew) return session.change("segment", (list) => list.map((one) => (one.id === segment.id ? segment : one)));
      const label = session.get().activeLabel;
      session.change("segment", (list) => [...list, label === null ? segment : { ...segment, label }]);
      session.select([segment.id]);
      session.wantText(segment.id);
    },
    seek: (seconds) => {
      if (audio.current) audio.current.currentTime = seconds;
    },
    time: () => audio.current?.currentTime ?? 0,
  };
}
