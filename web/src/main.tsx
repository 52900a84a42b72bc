import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/App";
import { reloadForNewerRelease } from "./app/newer-release";
import { addressOfPrinted } from "./features/experiments/mlflow-links";
import { startTexts } from "./i18n";
import { readSaved } from "./lib/saved";

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");

reloadForNewerRelease();
const printed = addressOfPrinted(location.pathname, location.hash, readSaved("project"));
if (printed !== null) location.replace(printed); // the router has read the address already
await startTexts();
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
