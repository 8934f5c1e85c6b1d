import { useEffect, useEffectEvent, useId, useRef, useState } from 'react';
import { useKeys } from '../keys/keyboard.tsx';
import styles from './row-filter.module.css';
import { useSearchChange } from './use-search-change.ts';

interface TextFilterProps {
  /** What is found: `Name, digest, trail or reason`. */
  label: string;
  /** The text in the address. */
  value: string;
  /** The parameter of the address. The key `f` goes to the box of `q`. */
  name?: string;
  /** Values that the browser offers while a person types. */
  suggestions?: readonly string[];
  /** Called at each key, for filters in memory. */
  onChange?: (text: string) => void;
}

/** Milliseconds without a key after which the text is written into the address. */
const PAUSE = 350;

/** A box that filters rows. The text stands in the address, usually as `?q=`, and going back restores it. */
export function TextFilter({ label, value, name = 'q', suggestions, onChange }: TextFilterProps) {
  const change = useEffectEvent(useSearchChange());
  const list = useId();
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
      change({ [name]: text || undefined });
    }, PAUSE);
    return () => clearTimeout(timer);
  }, [text, name]);
  useKeys(name === 'q' ? { f: { does: 'Filter the rows', run: () => box.current?.focus() } } : {});
  return (
    <>
      <input
        ref={box}
        className={styles['box']}
        type="search"
        aria-label={label}
        placeholder={label}
        value={text}
        list={suggestions && list}
        onChange={({ target }) => {
          setText(target.value);
          onChange?.(target.value);
        }}
      />
      {suggestions && (
        <datalist id={list}>
          {suggestions.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </>
  );
}
