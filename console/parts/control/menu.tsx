import { useEffect, useId, useRef, useState } from 'react';
import { Icon, type IconName } from './icons.tsx';
import styles from './menu.module.css';

interface MenuProps {
  /** What the opener shows beside its icon. */
  label?: React.ReactNode;
  /** What screen readers and the tooltip say, if the opener shows an icon only. */
  title: string;
  icon?: IconName;
  /** Opens the menu to the left of its end. */
  end?: boolean;
  /** Draws the opener like a button and writes its title, for a place among buttons. */
  framed?: boolean;
  children: React.ReactNode;
}

/** A button that shows a list of links and buttons. Escape and a click elsewhere close it. */
export function Menu({ label, title, icon, end = false, framed = false, children }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const menu = useRef<HTMLDivElement>(null);
  const id = useId();
  useEffect(() => {
    if (!isOpen) return;
    const close = (event: Event) => {
      if (event instanceof KeyboardEvent) {
        if (event.key !== 'Escape') return;
        menu.current?.querySelector('button')?.focus();
        setOpen(false);
      } else if (!(event.target instanceof Node && menu.current?.contains(event.target))) setOpen(false);
    };
    document.addEventListener('keydown', close);
    document.addEventListener('pointerdown', close);
    document.addEventListener('focusin', close);
    return () => {
      document.removeEventListener('keydown', close);
      document.removeEventListener('pointerdown', close);
      document.removeEventListener('focusin', close);
    };
  }, [isOpen]);
  return (
    <div className={styles['menu']} ref={menu}>
      <button
        type="button"
        className={`${styles['opener']} ${framed ? styles['framed'] : ''}`}
        aria-expanded={isOpen}
        aria-controls={id}
        title={framed ? undefined : title}
        onClick={() => setOpen(!isOpen)}
      >
        {icon && <Icon name={icon} />}
        {!framed && <span className="visually-hidden">{label === undefined ? title : `${title}: `}</span>}
        <span className={styles['label']}>{framed ? title : label}</span>
        <Icon name="down" />
      </button>
      {isOpen && (
        <div
          id={id}
          className={`${styles['panel']} ${end ? styles['end'] : ''}`}
          onClick={(event) => {
            if (!(event.target instanceof Element && event.target.closest('a, button'))) return;
            // A dialog that a button opens gives the focus back to what had it before.
            if (event.target.closest('button')) menu.current?.querySelector('button')?.focus();
            setOpen(false);
          }}
          role="none"
        >
          {children}
        </div>
      )}
    </div>
  );
}

/** A line of a menu that is no choice. */
export const MenuNote = ({ children }: { children: React.ReactNode }) => <p className={styles['note']}>{children}</p>;
