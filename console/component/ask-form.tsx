import { useNavigate } from '@tanstack/react-router';
import { useId } from 'react';
import { askedFor, type Field } from '../model/component-question.ts';
import { Button } from '../parts/control/button.tsx';
import field from '../parts/form/form-dialog.module.css';
import { fieldText } from '../parts/form/model/instants.ts';
import { Text } from '../parts/text/text.tsx';
import type { PageProps } from '../routes/route.ts';
import { routePath } from '../routes/route-path.ts';
import { time } from '../routes/search-params.ts';
import styles from './component.module.css';
import type { componentsRoute } from './routes.ts';

interface AskFormProps {
  org: string;
  search: PageProps<typeof componentsRoute>['search'];
  /** Why the service refused the question, by field. */
  problems?: ReadonlyMap<Field, string> | null;
}

/** What is asked. It stands in the address, so that an answer can be cited. */
export function AskForm({ org, search: { q, purl, versions, at, tab }, problems = null }: AskFormProps) {
  const navigate = useNavigate();
  const shown = at === undefined ? '' : fieldText(time(at) ?? 0);
  const problemOf = (name: Field) => ({ name, problem: problems?.get(name) });
  return (
    <form
      className={styles['ask']}
      aria-label="Question"
      onSubmit={(event) => {
        event.preventDefault();
        const given = new FormData(event.currentTarget);
        const text = (name: Field) => String(given.get(name) ?? '');
        // The field has minutes only. An instant that nobody changed stays as it was cited.
        const instant = text('at') === shown ? (at ?? '') : text('at') && `${text('at')}Z`;
        const asked = askedFor({ component: text('component'), versions: text('versions'), at: instant });
        void navigate({ to: routePath('components'), params: { org }, search: { ...asked, tab } });
      }}
    >
      <Line
        {...problemOf('component')}
        label="Component"
        note="the beginning of a name, or a package URL"
        initial={purl ?? q ?? ''}
        required
      />
      <Line
        {...problemOf('versions')}
        label="Versions"
        note="such as <4.17.21; without any, every version"
        initial={versions ?? ''}
      />
      <Line
        {...problemOf('at')}
        label="As of"
        note="an instant in UTC; without one, now"
        type="datetime-local"
        initial={shown}
      />
      <Button type="submit" look="primary">
        Ask
      </Button>
    </form>
  );
}

interface LineProps {
  name: Field;
  label: string;
  note: string;
  initial: string;
  problem: string | undefined;
  type?: 'datetime-local';
  required?: boolean;
}

/** An input with what is expected and, below it, why the service refused it. */
function Line({ name, label, note, initial, problem, type, required }: LineProps) {
  const id = useId();
  return (
    <div className={field['field']}>
      <label htmlFor={id} className={field['label']}>
        {label}
      </label>
      <input
        key={initial}
        id={id}
        name={name}
        type={type}
        required={required}
        defaultValue={initial}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-note`}
      />
      <p id={`${id}-note`} className={problem === undefined ? field['note'] : field['problem']}>
        <Text>{problem ?? note}</Text>
      </p>
    </div>
  );
}
