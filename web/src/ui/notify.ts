import { App, Button } from "antd";
import { createElement, useMemo } from "react";
import { useFailureText } from "./failure-text";

/** Short messages at the edge of the page: what was done, or why it was not. */
export function useNotify() {
  const { message, notification } = App.useApp();
  const failureText = useFailureText();
  return useMemo(
    () => ({
      done: (text: string) => void message.success(text),
      /** What was done, with a way to go and see it. */
      doneWithLink: (text: string, link: { label: string; onClick: () => void }) =>
        notification.success({
          title: text,
          placement: "bottomRight",
          actions: createElement(Button, { size: "small", type: "link", onClick: link.onClick }, link.label),
        }),
      failed: (error: unknown) => {
        const { title, text } = failureText(error);
        notification.error({ title, description: text ?? undefined, placement: "bottomRight" });
      },
      refused: (title: string, reasons: string[]) =>
        notification.error({
          title,
          description: reasons.map((reason) => createElement("div", { key: reason }, reason)),
          placement: "bottomRight",
          duration: 0,
        }),
    }),
    [message, notification, failureText],
  );
}
