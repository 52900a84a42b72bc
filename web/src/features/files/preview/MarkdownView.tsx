/** Markdown without raw HTML. Pictures from elsewhere are shown as links, so that opening a file calls nobody. */
import { lazy, Suspense, use } from "react";
import type { ComponentProps } from "react";
import { useTranslation } from "react-i18next";
import Markdown from "react-markdown";
import remarkGfm from "remark-gfm";
import { resolveLink } from "../paths";
import { DocumentContext } from "./document-context";
import styles from "./Preview.module.css";

const HighlightedCode = lazy(() => import("../code/HighlightedCode"));

const PLUGINS = [remarkGfm];
const COMPONENTS = { a: DocumentLink, img: Picture, pre: Block, input: Task };
const ELSEWHERE = /^([a-z][a-z0-9+.-]*:|\/\/)/i;

export default function MarkdownView({ text }: { text: string }) {
  return (
    <div className={styles.markdown}>
      <Markdown remarkPlugins={PLUGINS} components={COMPONENTS}>
        {text}
      </Markdown>
    </div>
  );
}

function DocumentLink({ href = "", children }: ComponentProps<"a">) {
  const place = use(DocumentContext);
  if (ELSEWHERE.test(href)) return <OutsideLink href={href}>{children}</OutsideLink>;
  const target = place && !href.startsWith("#") ? resolveLink(place.path, href) : null;
  if (!target) return <span>{children}</span>;
  return (
    <a
      href={place?.addressOf(target)}
      onClick={(event) => {
        event.preventDefault();
        place?.onOpen(target);
      }}
    >
      {children}
    </a>
  );
}

function Picture({ src, alt = "" }: ComponentProps<"img">) {
  const place = use(DocumentContext);
  if (typeof src !== "string") return null;
  if (ELSEWHERE.test(src)) return <OutsideLink href={src}>{alt || src}</OutsideLink>;
  const target = place && resolveLink(place.path, src);
  return target ? <img src={place.addressOf(target)} alt={alt} loading="lazy" /> : <span>{alt}</span>;
}

/** The box of a task list, to look at only. */
function Task({ checked }: ComponentProps<"input">) {
  const { t } = useTranslation("files");
  return <input type="checkbox" checked={checked === true} disabled readOnly aria-label={checked === true ? t("preview.taskDone") : t("preview.taskOpen")} />;
}

function OutsideLink({ href, children }: ComponentProps<"a">) {
  return (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  );
}

function Block({ children }: ComponentProps<"pre">) {
  const { code, language } = codeOf(children);
  if (code === null) return <pre>{children}</pre>;
  return (
    <Suspense fallback={<pre>{code}</pre>}>
      <HighlightedCode code={code} language={language} />
    </Suspense>
  );
}

function codeOf(children: ComponentProps<"pre">["children"]): { code: string | null; language: string } {
  if (typeof children !== "object" || children === null || !("props" in children)) return { code: null, language: "" };
  const props = children.props as { className?: string; children?: unknown };
  const language = /language-(\S+)/.exec(props.className ?? "")?.[1] ?? "";
  return { code: typeof props.children === "string" ? props.children.replace(/\n$/, "") : null, language };
}
