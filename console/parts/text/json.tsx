import { useMemo, useState } from 'react';
import { jsonText } from '../../model/json-text.ts';
import { Button } from '../control/button.tsx';
import { Code } from './code.tsx';

/** Larger documents open only on request. */
const OPEN_BELOW = 1_000_000;

/** A JSON document as the API answered it. A large one opens on request, and a very large one is cut off. */
export function Json({ value, what = 'JSON' }: { value: unknown; what?: string }) {
  const { text, size, isCut } = useMemo(() => jsonText(value), [value]);
  const [isOpen, setOpen] = useState(size < OPEN_BELOW);
  if (!isOpen) return <Button onClick={() => setOpen(true)}>Show {Math.round(size / 1000)} KB of JSON</Button>;
  return (
    <>
      {isCut && (
        <p>
          The first {Math.round(text.length / 1000)} KB of {Math.round(size / 1000)} KB are shown.
        </p>
      )}
      <Code what={what} wrap>
        {text}
      </Code>
    </>
  );
}
