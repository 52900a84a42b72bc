import { expect, it } from "vitest";
import { projectCommand } from "@/features/projects/project-command";
import { NEW_PROJECT } from "@/features/projects/project-values";
import { shellQuote } from "@/lib/shell";

it("leaves plain words alone and quotes the others", () => {
  expect(shellQuote("resnet-50")).toBe("resnet-50");
  expect(shellQuote("two words")).toBe("'two words'");
  expect(shellQuote("it's; rm -rf /")).toBe(`'it'\\''s; rm -rf /'`);
});

it("writes the command that makes the same project", () => {
  const values = { ...NEW_PROJECT, name: "lab 1", storage_limit_bytes: 1024, quota: { cpu: 4, memory_bytes: 64 * 1024 ** 3, accelerators: [{ name: "nvidia.com/gpu", count: 2 }] } };
  expect(projectCommand(values)).toBe("tidemill project create 'lab 1' --storage-limit 1024 --cpu 4 --memory 64GiB --accelerator nvidia.com/gpu=2");
});
