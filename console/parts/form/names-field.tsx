import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useId, useState } from 'react';
import { Icon } from '../control/icons.tsx';
import { Text } from '../text/text.tsx';
import styles from './form-dialog.module.css';
import type { ManyField } from './model/forms.ts';

/** What every control of a form gets. */
export interface ControlProps {
  id: string;
  'aria-describedby': string;
  'aria-invalid': boolean;
}

interface NamesFieldProps {
  control: ControlProps;
  field: ManyField;
  values: readonly string[];
  onChange: (values: readonly string[]) => void;
}

/** Several values, typed one by one: Enter adds one, and the browser suggests what is known. */
export function NamesField({ control, field, values, onChange }: NamesFieldProps) {
  const [typed, setTyped] = useState('');
  const list = useId();
  const add = (text: string): void => {
    const value = text.trim();
    if (value !== '' && !values.includes(value)) onChange([...values, value]);
    setTyped('');
  };
  const remove = (value: string) => onChange(values.filter((one) => one !== value));
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && typed.trim() !== '') {
      event.preventDefault();
      add(typed);
    }
    const last = values.at(-1);
    if (event.key === 'Backspace' && typed === '' && last !== undefined) remove(last);
  };
  return (
    <>
      {values.length > 0 && (
        <ul className={styles['names']}>
          {values.map((value) => (
            <li key={value}>
              <Text>{value}</Text>
              <button type="button" aria-label={`Remove ${value}`} title="Remove" onClick={() => remove(value)}>
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <input
        {...control}
        value={typed}
        list={list}
        autoComplete="off"
        spellCheck={false}
        enterKeyHint="done"
        placeholder={values.length === 0 ? 'Type one, then press Enter' : 'Another one'}
        onChange={({ target }) => setTyped(target.value)}
        onKeyDown={onKey}
        // What was typed and not yet added counts, too.
        onBlur={() => add(typed)}
      />
      {field.suggest && <Suggestions id={list} field={field} without={values} />}
    </>
  );
}

interface SuggestionsProps {
  id: string;
  field: Pick<ManyField, 'label' | 'suggest'>;
  /** What is not suggested again. */
  without?: readonly string[];
}

/** What the browser suggests. Without an answer it suggests nothing, and every name can be typed. */
export function Suggestions({ id, field, without = [] }: SuggestionsProps) {
  const { data = [] } = useQuery({
    queryKey: ['suggestions', field.label],
    queryFn: () => field.suggest?.() ?? [],
    gcTime: 0,
  });
  return (
    <datalist id={id}>
      {data
        .filter((name) => !without.includes(name))
        .map((name) => (
          <option key={name} value={name} />
        ))}
    </datalist>
  );
}
