import { useEffect, useRef } from 'react';
import { IconButton } from '../control/button.tsx';
import styles from './drawer.module.css';

interface DrawerProps {
  title: React.ReactNode;
  /** Buttons beside the one that closes. */
  actions?: React.ReactNode;
  onClose: () => void;
  /** Keys that act inside of the drawer. */
  onKeyDown?: (event: React.KeyboardEvent) => void;
  children: React.ReactNode;
}

/** Details of a part of the page, over its right side. What it shows stands in the address, so that it can be shared. */
export function Drawer({ title, actions, onClose, onKeyDown, children }: DrawerProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const { current } = dialog;
    if (current && !current.open) current.showModal();
    // Else the first button would have the focus, and screen readers would not read what was opened.
    heading.current?.focus();
    return () => current?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={styles['drawer']}
      aria-labelledby="drawer-title"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
      onKeyDown={onKeyDown}
    >
      <div className={styles['head']}>
        <h2 id="drawer-title" ref={heading} tabIndex={-1}>
          {title}
        </h2>
        {actions}
        <IconButton icon="close" label="Close" onClick={onClose} />
      </div>
      <div className={styles['body']}>{children}</div>
    </dialog>
  );
}
