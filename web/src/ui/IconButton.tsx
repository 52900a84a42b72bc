import { Button, Tooltip } from "antd";
import type { ButtonProps } from "antd";

type IconButtonProps = Omit<ButtonProps, "title" | "children"> & { label: string };

/** A button that is only a picture: named for screen readers, explained on hover. */
export function IconButton({ label, type = "text", ...rest }: IconButtonProps) {
  return (
    <Tooltip title={label}>
      <Button type={type} aria-label={label} {...rest} />
    </Tooltip>
  );
}
