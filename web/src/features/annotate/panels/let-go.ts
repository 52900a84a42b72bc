/** After a click the keys go to the workbench again, not to what was clicked; who came by keyboard stays there. */
export function letGo(event: React.MouseEvent<HTMLElement>): void {
  if (event.detail > 0) event.currentTarget.blur();
}
