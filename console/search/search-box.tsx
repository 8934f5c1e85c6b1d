import { CatchBoundary } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { loadChunk } from '../client/new-version.ts';
import { Icon } from '../parts/control/icons.tsx';
import { Dialog } from '../parts/form/dialog.tsx';
import styles from '../parts/frame/frame.module.css';
import { isTyping, useKeys } from '../parts/keys/keyboard.tsx';
import { ShortcutList } from '../parts/keys/shortcut-list.tsx';
import { ErrorPanel } from '../parts/page/error-panel.tsx';
import { collectKeys, takeKeys } from './typed-ahead.ts';

/** The palette is loaded when it is first opened, or when the browser has nothing to do. */
const loadPalette = () => import('./palette.tsx');
const Palette = lazy(() => loadChunk(loadPalette));

/** The box that opens the palette: find by digest, commit or name, and go anywhere. */
export function SearchBox({ org }: { org: string | undefined }) {
  const [isOpen, setOpen] = useState(false);
  const [showsKeys, setShowsKeys] = useState(false);
  const close = () => setOpen(false);
  useEffect(() => () => void takeKeys(), []);
  const open = () => {
    if (!isOpen) collectKeys(close);
    setOpen(true);
  };
  // A digest that is pasted beside every field is searched for.
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      const text = event.clipboardData?.getData('text/plain').trim() ?? '';
      if (text === '' || isTyping(event.target) || document.querySelector('dialog:modal')) return;
      event.preventDefault();
      collectKeys(() => setOpen(false), text);
      setOpen(true);
    };
    document.addEventListener('paste', onPaste);
    return () => document.removeEventListener('paste', onPaste);
  }, []);
  const shortcut = { does: 'Search and go', run: open };
  useKeys({ '/': shortcut, 'Control+k': shortcut, '?': { does: 'Show these keys', run: () => setShowsKeys(true) } });
  return (
    <>
      <button
        type="button"
        className={styles['search']}
        aria-label="Search or paste a digest"
        onClick={open}
        // If the file is missing, opening the palette says so.
        onPointerEnter={() => void loadPalette().catch(() => undefined)}
      >
        <Icon name="search" />
        <span>Search or paste a digest</span>
        <kbd>/</kbd>
      </button>
      {isOpen && (
        <CatchBoundary
          getResetKey={() => 'palette'}
          errorComponent={({ error }) => <NoPalette error={error} onClose={close} />}
        >
          <Suspense fallback={null}>
            <Palette org={org} onClose={close} />
          </Suspense>
        </CatchBoundary>
      )}
      {showsKeys && <ShortcutList onClose={() => setShowsKeys(false)} />}
    </>
  );
}

/** Stands instead of the palette if its file is missing. */
function NoPalette({ error, onClose }: { error: unknown; onClose: () => void }) {
  useEffect(() => void takeKeys(), []);
  return (
    <Dialog title="Search" onClose={onClose}>
      <ErrorPanel error={error} />
    </Dialog>
  );
}
