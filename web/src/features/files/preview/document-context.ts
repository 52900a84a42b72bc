import { createContext } from "react";

/** Where a document lies, so that its links and pictures lead to the files beside it. */
export interface DocumentPlace {
  path: string;
  addressOf: (path: string) => string;
  onOpen: (path: string) => void;
}

export const DocumentContext = createContext<DocumentPlace | null>(null);
