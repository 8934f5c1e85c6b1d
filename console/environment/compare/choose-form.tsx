import { useNavigate } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { useAnswer } from '../../client/live.ts';
import { allOf } from '../../model/pages.ts';
import { Button } from '../../parts/control/button.tsx';
import { Waiting } from '../../parts/page/panel.tsx';
import { routePath } from '../../routes/route-path.ts';
import { readNames } from '../routes.ts';
import styles from './compare.module.css';

interface Chosen {
  org: string;
  a: string;
  b: string;
}

function useOpen(org: string): (a: string, b: string) => void {
  const navigate = useNavigate();
  return (a, b) => void navigate({ to: routePath('compare'), params: { org }, search: { a, b } });
}

/** Exchanges the two sides. */
export function SwapButton({ org, a, b }: Chosen) {
  const open = useOpen(org);
  return <Button onClick={() => open(b, a)}>Swap sides</Button>;
}

/** Two boxes for what is compared, with the names of the environments to choose from. */
export function ChooseForm({ org, a, b }: Chosen) {
  const open = useOpen(org);
  const [one, setOne] = useState(a);
  const [other, setOther] = useState(b);
  const names = useId();
  const help = useId();
  return (
    <form
      className={styles['choose']}
      onSubmit={(event) => {
        event.preventDefault();
        if (one !== '' && other !== '') open(one, other);
      }}
    >
      <label>
        Before
        <input
          value={one}
          required
          list={names}
          aria-describedby={help}
          onChange={({ target }) => setOne(target.value.trim())}
        />
      </label>
      <label>
        After
        <input
          value={other}
          required
          list={names}
          aria-describedby={help}
          onChange={({ target }) => setOther(target.value.trim())}
        />
      </label>
      <Button type="submit" look="primary">
        Compare
      </Button>
      <p id={help} className={styles['help']}>
        <code>prod</code> is the newest snapshot, <code>prod#12</code> the twelfth, <code>prod~1</code> the one before
        the newest, and <code>{'prod@{2026-07-01T12:00:00}'}</code> the one at that time.
      </p>
      <Waiting rows={1}>
        <Names org={org} id={names} />
      </Waiting>
    </form>
  );
}

function Names({ org, id }: { org: string; id: string }) {
  const all = allOf(useAnswer(readNames(org)), 'environments');
  return (
    <datalist id={id}>
      {all.map(({ name }) => (
        <option key={name} value={name} />
      ))}
    </datalist>
  );
}
