import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const backend = process.env.TIDEMILL_URL ?? "http://127.0.0.1:8700";

export default defineConfig({
  plugins: [react()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  server: { port: 5170, proxy: { "/api": { target: backend, ws: true } } },
  build: {
    outDir: "../src/tidemill/web_dist",
    emptyOutDir: true,
    target: "es2022",
    // Ant Design's shared core is one cacheable file of about this size; pages are separate and small.
    chunkSizeWarningLimit: 900,
  },
  test: {
    environment: "node", // files that draw say so themselves: a document costs most of a second
    setupFiles: ["tests/setup.ts"],
    testTimeout: 30_000, // rendering Ant Design in jsdom is slow on a busy machine
    include: ["tests/**/*.test.{ts,tsx}"],
  },
});
