import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/App";
import { startTexts } from "./i18n";

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");

await startTexts();
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
