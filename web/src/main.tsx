import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/App";
import { reloadForNewerRelease } from "./app/newer-release";
import { startTexts } from "./i18n";

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");

reloadForNewerRelease();
await startTexts();
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
