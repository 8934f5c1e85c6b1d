import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useKeys } from './keyboard.tsx';
import styles from './row-filter.module.css';

interface TextFilterProps {
  /** What is found: `Name, digest, trail or reason`. */
  label: string;
  /** The text in the address. */
  value: string;
  /** Called at each key, for filters in memory. */
  onChange?: (text: string) => void;
}

/** Milliseconds without a key after which the text is written into the address. */
const PAUSE = 350;

/** A box that filters rows. The text stands in the address as `?q=`, and going back restores it. */
export function TextFilter({ label, value, onChange }: TextFilterProps) {
  const navigate = useNavigate();
  const [text, setText] = useState(value);
  const box = useRef<HTMLInputElement>(null);
  const written = useRef(value);
  useEffect(() => {
    // The address changed by other means than this box.
    if (value === written.current) return;
    written.current = value;
    setText(value);
    onChange?.(value);
  }, [value, onChange]);
  useEffect(() => {
    if (text === written.current) return;
    const timer = setTimeout(() => {
      written.current = text;
      void navigate({
        to: '.',
        search: ((before: object) => ({ ...before, q: text || undefined, page: undefined })) as never,
        replace: true,
        resetScroll: false,
      });
    }, PAUSE);
    return () => clearTimeout(timer);
  }, [text, navigate]);
  useKeys({ f: { does: 'Filter the rows', run: () => box.current?.focus() } });
  return (
    <input
      ref={box}
      className={styles['box']}
      type="search"
      aria-label={label}
      placeholder={label}
      value={text}
      onChange={({ target }) => {
        setText(target.value);
        onChange?.(target.value);
      }}
    />
  );
}
