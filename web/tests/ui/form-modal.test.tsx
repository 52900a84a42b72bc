// @vitest-environment jsdom
import { cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { ApiFailure } from "@/api/failure";
import { startTexts } from "@/i18n";
import { DescriptionField, NameField } from "@/ui/form/fields";
import { FormModal } from "@/ui/form/FormModal";
import { renderPage } from "./render";

interface Values {
  name: string;
  description: string;
}

function open(onSubmit: (values: Values) => Promise<unknown>, onClose = vi.fn()) {
  renderPage(
    <FormModal<Values> title="Make" submitText="Create" initialValues={{ name: "", description: "" }} onSubmit={onSubmit} onClose={onClose}>
      <NameField />
      <DescriptionField />
    </FormModal>,
  );
  return onClose;
}

beforeAll(() => startTexts());
afterEach(cleanup);

describe("a form", () => {
  it("tells the broken rule at the field and does not submit", async () => {
    const submit = vi.fn();
    open(submit);
    await userEvent.type(screen.getByLabelText("Name"), "a/b");
    await userEvent.click(screen.getByRole("button", { name: "Create" }));
    expect(await screen.findByText(/These characters are not allowed/)).toBeTruthy();
    expect(submit).not.toHaveBeenCalled();
  });

  it("shows the server's refusal at its field and stays open", async () => {
    const refusal = new ApiFailure(422, { code: "invalid", message: "Invalid", details: [{ field: "name", message: "This name is taken." }] });
    const onClose = open(() => Promise.reject(refusal));
    await userEvent.type(screen.getByLabelText("Name"), "a");
    await userEvent.click(screen.getByRole("button", { name: "Create" }));
    expect(await screen.findByText("This name is taken.")).toBeTruthy();
    expect(screen.getByLabelText("Name").getAttribute("aria-invalid")).toBe("true");
    expect(onClose).not.toHaveBeenCalled();
  });

  it("shows a refusal without a field above the buttons, with its hint", async () => {
    open(() => Promise.reject(new ApiFailure(413, { code: "storage_limit", message: "The storage is full.", hint: "Empty the bin." })));
    await userEvent.type(screen.getByLabelText("Name"), "a");
    await userEvent.click(screen.getByRole("button", { name: "Create" }));
    expect(await screen.findByText("The storage is full.")).toBeTruthy();
    expect(screen.getByText("Empty the bin.")).toBeTruthy();
  });

  it("shows the way to where something can be done about it, beside what is told at the field", async () => {
    open(() => Promise.reject(new ApiFailure(422, { code: "package_pickles", message: "It has a pickle.", field: "name", hint: "Allow them.", details: { link: "/p/lab?tab=settings" } })));
    await userEvent.type(screen.getByLabelText("Name"), "a");
    await userEvent.click(screen.getByRole("button", { name: "Create" }));
    expect((await screen.findByRole("link", { name: "Go to the settings" })).getAttribute("href")).toBe("/p/lab?tab=settings");
    expect(screen.getByLabelText("Name").getAttribute("aria-invalid")).toBe("true");
  });

  it("closes when it was saved", async () => {
    const submit = vi.fn(() => Promise.resolve());
    const onClose = open(submit);
    await userEvent.type(screen.getByLabelText("Name"), "a{Enter}");
    await vi.waitFor(() => expect(onClose).toHaveBeenCalled());
    expect(submit).toHaveBeenCalledWith({ name: "a", description: "" });
  });
});
