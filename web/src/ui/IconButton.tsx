import { Button, Tooltip } from "antd";
import type { ButtonProps } from "antd";

type IconButtonProps = Omit<ButtonProps, "title" | "children"> & {
  label: string;
  /** Whether what the button opens is open. */
  isOpen?: boolean;
};

/** A button that is only a picture: named for screen readers, explained on hover. */
export function IconButton({ label, isOpen, type = "text", ...rest }: IconButtonProps) {
  // A menu or popover around the button tells it so by a class; the tooltip then keeps out of its way.
  const hasOpened = isOpen || /\bant-(dropdown|popover)-open\b/.test(rest.className ?? "");
  return (
    <Tooltip title={label} open={hasOpened ? false : undefined}>
      <Button type={type} aria-label={label} aria-expanded={isOpen} {...rest} />
    </Tooltip>
  );
}
