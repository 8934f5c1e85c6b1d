import { useId, useLayoutEffect, useRef } from 'react';
import styles from './dialog.module.css';

interface DialogProps {
  title: string;
  /** Called for Escape and for a click beside the dialog. Without it the dialog stays until its content ends it. */
  onClose?: () => void;
  /** Room for files. */
  isWide?: boolean;
  children: React.ReactNode;
}

/** A question or a list over the page, which waits until it is closed. */
export function Dialog({ title, onClose, isWide = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Closed before it leaves the page: a dialog gives the focus back only while it is part of the page.
  useLayoutEffect(() => {
    const { current } = dialog;
    if (current && !current.open) current.showModal();
    return () => current?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog; a click beside it is one more way
    <dialog
      ref={dialog}
      className={`${styles['dialog']} ${isWide ? styles['wide'] : ''}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose?.();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

interface DialogFootProps {
  /** Keeps the buttons in sight while a long form is scrolled. */
  isSticky?: boolean;
  children: React.ReactNode;
}

export const DialogFoot = ({ isSticky = false, children }: DialogFootProps) => (
  <div className={`${styles['foot']} ${isSticky ? styles['sticky'] : ''}`}>{children}</div>
);
