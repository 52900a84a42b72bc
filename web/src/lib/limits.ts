/** The server's limits on fields, checked here too so that a mistake is told while it is typed. */
export const NAME_MAX = 50;
export const DESCRIPTION_MAX = 500;
export const FORBIDDEN_IN_NAMES = "/ : * ? \" < ' > |";

export type NameProblem = "empty" | "long" | "character" | "control" | "dots";

const FORBIDDEN = /[/:*?"<'>|]/;
// eslint-disable-next-line no-control-regex -- control characters are exactly what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** The rule a name breaks, or null. The server trims and normalises, so this judges what it will see. */
export function nameProblem(raw: string): NameProblem | null {
  const name = raw.trim().normalize("NFC");
  if (name === "") return "empty";
  if ([...name].length > NAME_MAX) return "long";
  if (CONTROL.test(name)) return "control";
  if (FORBIDDEN.test(name)) return "character";
  if (name === "." || name === "..") return "dots";
  return null;
}
