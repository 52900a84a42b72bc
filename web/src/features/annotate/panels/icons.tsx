/** The tools' own pictures: one line, in the colour of the text. */
import type { ReactNode } from "react";
import type { ToolName } from "../model/kinds";

const PATHS: Record<ToolName, ReactNode> = {
  select: <path d="M5 3l13 8-6 1.5L9 18z" />,
  box: <rect x="4" y="5" width="14" height="12" rx="1" />,
  turned: <path d="M11 2.5l8 7.5-8 9-8-8z" />,
  polygon: <path d="M11 3l8 6-3 9H6L3 9z" />,
  polyline: <path d="M3 17l5-9 5 6 6-10" />,
  point: <><circle cx="11" cy="11" r="2.5" /><path d="M11 3v4M11 15v4M3 11h4M15 11h4" /></>,
  circle: <circle cx="11" cy="11" r="7.5" />,
  brush: <path d="M18 3c-5 2-8 5-9.5 8.5l2 2C14 12 17 8.500 18 3zM8 12.500c-2.500 0-3 2-3.500 3.500-.3 1-1 1.500-1.500 2 3.500.8 7 0 7-3.500z" />,
  eraser: <path d="M3 14l8-9 7 6-7 8H7zM7 9.500l7 6M7 19h11" />,
  keypoints: <><circle cx="11" cy="4.500" r="2" /><circle cx="5" cy="17" r="2" /><circle cx="17" cy="17" r="2" /><path d="M11 6.500v4L6 15.300M11 10.500l5 4.800" /></>,
  smart: <><path d="M4 18L13 9M15 3v4M13 5h4M18 10v3M16.500 11.500h3M8 4v3M6.500 5.500h3" /></>,
};

export function ToolIcon({ name }: { name: ToolName }) {
  return (
    <svg viewBox="0 0 22 22" width="20" height="20" fill="none" stroke="currentColor" strokeWidth="1.6" strokeLinejoin="round" strokeLinecap="round" aria-hidden="true">
      {PATHS[name]}
    </svg>
  );
}
