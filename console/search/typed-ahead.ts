/**
 * Keeps what is typed between a shortcut and the moment at which the field that it opens has the focus. The field is in a file
 * of its own, which can take seconds to come. Without this, the keys would act as shortcuts of the page or get lost.
 */
let end: (() => void) | undefined;
let typed = '';

/**
 * Begins to collect.
 *
 * @param cancel called if Escape is pressed before the field is there
 * @param first what was pasted before, and begins the text
 */
export function collectKeys(cancel: () => void, first = ''): void {
  if (end) return;
  typed = first;
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    // A dialog that came in the meantime, such as the one that asks to sign in, gets its own keys.
    if (document.querySelector('dialog:modal')) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (event.key === 'Backspace') typed = [...typed].slice(0, -1).join('');
    // Names of other keys, such as `Enter`, are longer than one character.
    else if ([...event.key].length === 1) typed += event.key;
    else if (event.key === 'Escape') {
      takeKeys();
      cancel();
    }
  };
  const onPaste = ({ clipboardData }: ClipboardEvent) => {
    typed += clipboardData?.getData('text/plain') ?? '';
  };
  document.addEventListener('keydown', onKey, true);
  document.addEventListener('paste', onPaste, true);
  end = () => {
    document.removeEventListener('keydown', onKey, true);
    document.removeEventListener('paste', onPaste, true);
  };
}

/** Ends the collection. @returns what was typed and pasted since it began */
export function takeKeys(): string {
  end?.();
  end = undefined;
  const text = typed;
  typed = '';
  return text;
}
