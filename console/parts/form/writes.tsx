import { CatchBoundary } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useOrganization } from '../../account/user.ts';
import { loadChunk } from '../../client/new-version.ts';
import { whyNot } from '../../people/model/access.ts';
import { Button } from '../control/button.tsx';
import { Menu } from '../control/menu.tsx';
import { ErrorPanel } from '../page/error-panel.tsx';
import type { Write } from './model/forms.ts';
import styles from './writes.module.css';

// A page is read more often than it is changed, so the form is loaded when it is asked for.
const FormDialog = lazy(() => loadChunk(() => import('./form-dialog.tsx')));

interface WritesProps {
  org: string;
  writes: readonly Write[];
  /** False in rows of a table, where the sentence would stand in every row. */
  isExplained?: boolean;
  /** Buttons that the menu has beside the rare writes. */
  rareButtons?: React.ReactNode;
}

/**
 * Buttons for what the caller may do here, a menu with what people need rarely, and a sentence about what the caller may
 * not do.
 */
export function Writes({ org, writes, isExplained = true, rareButtons }: WritesProps) {
  const [open, setOpen] = useState<Write>();
  const [done, setDone] = useState('');
  const role = useOrganization(org)?.role;
  if (role === undefined) return null;
  const refused = (one: Write) => one.refusal ?? whyNot([one], role);
  const allowed = writes.filter((one) => refused(one) === null);
  const own = writes.flatMap(({ refusal }) => refusal ?? []);
  const byRole = whyNot(
    writes.filter(({ refusal }) => refusal === undefined),
    role,
  );
  const [rare = [], frequent = []] = [true, false].map((isRare) =>
    allowed.filter((one) => (one.isRare ?? false) === isRare),
  );
  const ask = (one: Write) => {
    setDone('');
    setOpen(one);
  };
  return (
    <>
      {frequent.map((one) => (
        <Button key={one.button} look={one.isDanger ? 'danger' : 'normal'} onClick={() => ask(one)}>
          {one.button}
        </Button>
      ))}
      {(rare.length > 0 || rareButtons) && (
        <Menu title="More" end framed>
          {rareButtons}
          {rare.map((one) => (
            <button key={one.button} type="button" data-danger={one.isDanger} onClick={() => ask(one)}>
              {one.button}
            </button>
          ))}
        </Menu>
      )}
      {isExplained &&
        [...(byRole === null ? [] : [byRole]), ...own].map((sentence) => (
          <span key={sentence} className={styles['refused']}>
            {sentence}
          </span>
        ))}
      <span role="status" className={styles['done']}>
        {done}
      </span>
      {open && (
        <CatchBoundary getResetKey={() => open.button} errorComponent={ErrorPanel}>
          <Suspense fallback={null}>
            <FormDialog
              write={open}
              onClose={() => setOpen(undefined)}
              onDone={() => {
                setOpen(undefined);
                setDone(open.done ?? 'Saved.');
              }}
            />
          </Suspense>
        </CatchBoundary>
      )}
    </>
  );
}
