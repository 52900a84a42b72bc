import { SearchOutlined } from "@ant-design/icons";
import { Input } from "antd";
import { useEffect, useRef, useState } from "react";

const SETTLE_MS = 300;

interface SearchBoxProps {
  value: string;
  label: string;
  onSearch: (text: string) => void;
  className?: string;
}

/** Searches when typing pauses; waits for an input method to finish composing a word. */
export function SearchBox({ value, label, onSearch, className }: SearchBoxProps) {
  const [text, setText] = useState(value);
  const [settled, setSettled] = useState(value);
  const isComposing = useRef(false);
  const timer = useRef<number | undefined>(undefined);

  // The address changed from outside (back button, "clear filters"): show what it says.
  if (settled !== value) {
    setSettled(value);
    setText(value);
  }
  useEffect(() => () => window.clearTimeout(timer.current), []);
  // As it is when typing has paused: what else was chosen meanwhile stays in the address.
  const found = useRef(onSearch);
  useEffect(() => {
    found.current = onSearch;
  });

  const search = (next: string) => {
    window.clearTimeout(timer.current);
    setSettled(next.trim());
    found.current(next.trim());
  };
  const searchSoon = (next: string) => {
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => search(next), SETTLE_MS);
  };
  return (
    <Input
      className={className}
      prefix={<SearchOutlined aria-hidden />}
      value={text}
      placeholder={label}
      aria-label={label}
      allowClear
      onChange={(event) => {
        setText(event.target.value);
        if (!isComposing.current) searchSoon(event.target.value);
      }}
      onCompositionStart={() => {
        isComposing.current = true;
        window.clearTimeout(timer.current);
      }}
      onCompositionEnd={(event) => {
        isComposing.current = false;
        searchSoon(event.currentTarget.value);
      }}
      onPressEnter={() => {
        if (!isComposing.current) search(text);
      }}
    />
  );
}
