/** Every colour of the application, once. Components use Ant Design's tokens or the `--tm-*` variables made from these. */
import { theme as antdTheme } from "antd";
import type { ThemeConfig } from "antd";

export type ThemeMode = "light" | "dark";

interface Palette {
  primary: string;
  primaryHover: string;
  primaryActive: string;
  primarySoft: string;
  primarySoftHover: string;
  onPrimary: string;
  accent: string;
  accentSoft: string;
  info: string;
  infoSoft: string;
  success: string;
  successSoft: string;
  warning: string;
  warningSoft: string;
  error: string;
  errorSoft: string;
  layout: string;
  surface: string;
  raised: string;
  sunken: string;
  border: string;
  borderSoft: string;
  text: string;
  textSecondary: string;
  textMuted: string;
  textDisabled: string;
  spotlight: string;
  tideTop: string;
  tideBottom: string;
  tideWater: string;
  tideText: string;
  violet: string;
  /** Curves, in the order they are given out; each is told from its neighbours also by those who see few colours. */
  curves: string[];
}

const light: Palette = {
  primary: "#0F766E",
  primaryHover: "#0B625B",
  primaryActive: "#0A4F4A",
  primarySoft: "#E3F3F1",
  primarySoftHover: "#D2EBE8",
  onPrimary: "#FFFFFF",
  accent: "#B45309",
  accentSoft: "#FEF3C7",
  info: "#2563EB",
  infoSoft: "#EFF5FF",
  success: "#15803D",
  successSoft: "#EEFBF2",
  warning: "#B45309",
  warningSoft: "#FFFAEB",
  error: "#CF1F1F",
  errorSoft: "#FEF2F2",
  layout: "#F6F8FA",
  surface: "#FFFFFF",
  raised: "#FFFFFF",
  sunken: "#F1F5F9",
  border: "#CBD5E1",
  borderSoft: "#E2E8F0",
  text: "#0F172A",
  textSecondary: "#475569",
  textMuted: "#5B6B82",
  textDisabled: "#94A3B8",
  spotlight: "#1E293B",
  tideTop: "#115E59",
  tideBottom: "#0F766E",
  tideWater: "#042F2E",
  tideText: "#F0FDFA",
  violet: "#7C3AED",
  curves: ["#0F766E", "#C2570C", "#2563EB", "#A21CAF", "#4D7C0F", "#B91C1C", "#0891B2", "#6D28D9", "#A16207", "#475569"],
};

const dark: Palette = {
  primary: "#2DD4BF",
  primaryHover: "#5EEAD4",
  primaryActive: "#14B8A6",
  primarySoft: "#10302F",
  primarySoftHover: "#143D3C",
  onPrimary: "#042F2E",
  accent: "#FBBF24",
  accentSoft: "#3B2A0B",
  info: "#60A5FA",
  infoSoft: "#12233F",
  success: "#4ADE80",
  successSoft: "#0E2A1D",
  warning: "#FBBF24",
  warningSoft: "#2E220B",
  error: "#F87171",
  errorSoft: "#341A1F",
  layout: "#0B1220",
  surface: "#111A2B",
  raised: "#182338",
  sunken: "#0D1524",
  border: "#33435C",
  borderSoft: "#223049",
  text: "#E5ECF5",
  textSecondary: "#A9B7CA",
  textMuted: "#93A3B8",
  textDisabled: "#5D6D84",
  spotlight: "#334155",
  tideTop: "#0B1B2B",
  tideBottom: "#0D3B3A",
  tideWater: "#071421",
  tideText: "#CCFBF1",
  violet: "#C084FC",
  curves: ["#2DD4BF", "#FB923C", "#60A5FA", "#E879F9", "#A3E635", "#F87171", "#22D3EE", "#A78BFA", "#FACC15", "#94A3B8"],
};

const palettes: Record<ThemeMode, Palette> = { light, dark };

const FONT =
  'system-ui, -apple-system, "Segoe UI", Roboto, "PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", "Noto Sans CJK SC", "Noto Sans SC", sans-serif';
export const MONO_FONT = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Noto Sans Mono CJK SC", monospace';

/** Ant Design's dark algorithm dims seed colours; the palette's own values are put back after it has run. */
function exactColours(palette: Palette) {
  return {
    colorPrimary: palette.primary,
    colorPrimaryHover: palette.primaryHover,
    colorPrimaryActive: palette.primaryActive,
    colorPrimaryBg: palette.primarySoft,
    colorPrimaryBgHover: palette.primarySoftHover,
    colorPrimaryText: palette.primary,
    colorPrimaryTextHover: palette.primaryHover,
    colorPrimaryTextActive: palette.primaryActive,
    colorLink: palette.primary,
    colorLinkHover: palette.primaryHover,
    colorLinkActive: palette.primaryActive,
    colorInfo: palette.info,
    colorInfoBg: palette.infoSoft,
    colorInfoText: palette.info,
    colorSuccess: palette.success,
    colorSuccessBg: palette.successSoft,
    colorSuccessText: palette.success,
    colorWarning: palette.warning,
    colorWarningBg: palette.warningSoft,
    colorWarningText: palette.warning,
    colorError: palette.error,
    colorErrorBg: palette.errorSoft,
    colorErrorText: palette.error,
  };
}

export function themeConfig(mode: ThemeMode, isStill: boolean): ThemeConfig {
  const palette = palettes[mode];
  const base = mode === "dark" ? antdTheme.darkAlgorithm : antdTheme.defaultAlgorithm;
  return {
    algorithm: [base, (_seed, map) => ({ ...(map ?? base(_seed)), ...exactColours(palette) })],
    token: {
      colorPrimary: palette.primary,
      colorInfo: palette.info,
      colorSuccess: palette.success,
      colorWarning: palette.warning,
      colorError: palette.error,
      fontFamily: FONT,
      fontFamilyCode: MONO_FONT,
      fontSize: 14,
      borderRadius: 6,
      sizeUnit: 4,
      motion: !isStill,
      colorBgLayout: palette.layout,
      colorBgContainer: palette.surface,
      colorBgElevated: palette.raised,
      colorBgSpotlight: palette.spotlight,
      colorBorder: palette.border,
      colorBorderSecondary: palette.borderSoft,
      colorSplit: palette.borderSoft,
      colorText: palette.text,
      colorTextSecondary: palette.textSecondary,
      colorTextTertiary: palette.textMuted,
      colorTextDescription: palette.textMuted,
      colorTextPlaceholder: palette.textMuted,
      colorTextDisabled: palette.textDisabled,
      colorIcon: palette.textSecondary,
    },
    components: componentTokens(palette),
  };
}

function componentTokens(palette: Palette): ThemeConfig["components"] {
  return {
    Button: { primaryColor: palette.onPrimary, primaryShadow: "none", defaultShadow: "none", dangerShadow: "none", dangerColor: palette.onPrimary },
    Table: { headerBg: palette.sunken, headerColor: palette.textSecondary, cellPaddingBlock: 10, headerSplitColor: "transparent", rowHoverBg: palette.sunken, headerSortActiveBg: palette.sunken, headerSortHoverBg: palette.sunken, bodySortBg: palette.surface, fixedHeaderSortActiveBg: palette.sunken },
    Menu: { itemHeight: 34, itemMarginBlock: 2, itemMarginInline: 8, itemBorderRadius: 6, activeBarBorderWidth: 0 },
    Tabs: { horizontalMargin: "0 0 16px 0" },
    Card: { headerFontSize: 14, headerHeight: 44 },
    Form: { itemMarginBottom: 20, verticalLabelPadding: "0 0 4px" },
    Descriptions: { labelBg: palette.sunken },
    Badge: { colorTextLightSolid: palette.onPrimary },
    // Their border is all there is of them while they are not chosen.
    Checkbox: { colorWhite: palette.onPrimary, colorBorder: palette.textMuted },
    Radio: { colorBorder: palette.textMuted },
    Progress: { defaultColor: palette.primary },
  };
}

/** A terminal's own sixteen colours, readable on its ground in either mode. */
const terminals = {
  light: {
    background: "#FBFCFD",
    foreground: light.text,
    cursor: light.primary,
    cursorAccent: "#FFFFFF",
    selectionBackground: "#BFE3DF",
    black: "#0F172A",
    red: "#B91C1C",
    green: "#15803D",
    yellow: "#92600A",
    blue: "#1D4ED8",
    magenta: "#A21CAF",
    cyan: "#0E7490",
    white: "#64748B",
    brightBlack: "#5B6B82",
    brightRed: "#CF1F1F",
    brightGreen: "#166534",
    brightYellow: "#A16207",
    brightBlue: "#2563EB",
    brightMagenta: "#7C3AED",
    brightCyan: "#0F766E",
    brightWhite: "#334155",
  },
  dark: {
    background: "#0A101C",
    foreground: dark.text,
    cursor: dark.primary,
    cursorAccent: "#042F2E",
    selectionBackground: "#1F4A4F",
    black: "#33435C",
    red: "#F87171",
    green: "#4ADE80",
    yellow: "#FBBF24",
    blue: "#60A5FA",
    magenta: "#E879F9",
    cyan: "#22D3EE",
    white: "#CBD5E1",
    brightBlack: "#93A3B8",
    brightRed: "#FCA5A5",
    brightGreen: "#86EFAC",
    brightYellow: "#FDE68A",
    brightBlue: "#93C5FD",
    brightMagenta: "#F0ABFC",
    brightCyan: "#67E8F9",
    brightWhite: "#F8FAFC",
  },
};

export function terminalColours(mode: ThemeMode): Record<string, string> {
  return terminals[mode];
}

/** The few colours our own style sheets need beyond what a component gives. */
export function cssVariables(mode: ThemeMode): Record<string, string> {
  const p = palettes[mode];
  return {
    "--tm-primary": p.primary,
    "--tm-on-primary": p.onPrimary,
    "--tm-accent": p.accent,
    "--tm-accent-soft": p.accentSoft,
    "--tm-info": p.info,
    "--tm-success": p.success,
    "--tm-warning": p.warning,
    "--tm-error": p.error,
    "--tm-layout": p.layout,
    "--tm-surface": p.surface,
    "--tm-raised": p.raised,
    "--tm-sunken": p.sunken,
    "--tm-border": p.border,
    "--tm-border-soft": p.borderSoft,
    "--tm-text": p.text,
    "--tm-text-secondary": p.textSecondary,
    "--tm-text-muted": p.textMuted,
    "--tm-tide-top": p.tideTop,
    "--tm-tide-bottom": p.tideBottom,
    "--tm-tide-water": p.tideWater,
    "--tm-tide-text": p.tideText,
    "--tm-violet": p.violet,
    "--tm-terminal": terminals[mode].background,
    "--tm-font": FONT,
    "--tm-mono": MONO_FONT,
  };
}

/** What charts need, which are drawn on a canvas and cannot read style sheets. */
export interface ChartColours {
  curves: string[];
  text: string;
  line: string;
  surface: string;
  raised: string;
  limit: string;
  font: string;
}

export function chartColours(mode: ThemeMode): ChartColours {
  const p = palettes[mode];
  return { curves: p.curves, text: p.textMuted, line: p.borderSoft, surface: p.surface, raised: p.raised, limit: p.error, font: FONT };
}

/** What is drawn over pictures of any colour, in either mode. */
export interface WorkbenchColours {
  /** Around the picture. */
  ground: string;
  unlabelled: string;
  handle: string;
  handleEdge: string;
  tagText: string;
  guide: string;
  mine: string;
  theirs: string;
  wave: string;
  waveText: string;
  font: string;
}

export function workbenchColours(mode: ThemeMode): WorkbenchColours {
  const p = palettes[mode];
  return { ground: p.sunken, unlabelled: "#94A3B8", handle: "#FFFFFF", handleEdge: "#0F172A", tagText: "#FFFFFF", guide: "#2DD4BF", mine: "#2DD4BF", theirs: "#FBBF24", wave: p.primary, waveText: p.textMuted, font: FONT };
}
