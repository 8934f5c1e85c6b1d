import { Button } from '../control/button.tsx';
import styles from '../form/dialog.module.css';
import { Dialog, DialogFoot } from '../form/dialog.tsx';
import { useAllShortcuts } from './keyboard.tsx';

/** The list that `?` opens: every key of this page and what it does. */
export function ShortcutList({ onClose }: { onClose: () => void }) {
  const shortcuts = useAllShortcuts();
  return (
    <Dialog title="Keys of this page" onClose={onClose}>
      <dl className={styles['keys']}>
        {shortcuts.map(([keys, does]) => (
          <Row key={keys} keys={keys} does={does} />
        ))}
      </dl>
      <DialogFoot>
        <Button onClick={onClose}>Close</Button>
      </DialogFoot>
    </Dialog>
  );
}

const Row = ({ keys, does }: { keys: string; does: string }) => (
  <>
    <dt>
      {keys.split(' ').map((key) => (
        <kbd key={key}>{key.replace('Control+', 'Ctrl ')}</kbd>
      ))}
    </dt>
    <dd>{does}</dd>
  </>
);
