import { Flex } from "antd";
import type { ReactNode } from "react";

/** A thing's name with its marks beside it, set apart so that a linked name does not read as part of a sentence. */
export function NameLine({ children }: { children: ReactNode }) {
  return (
    <Flex align="center" gap={8} wrap>
      {children}
    </Flex>
  );
}
