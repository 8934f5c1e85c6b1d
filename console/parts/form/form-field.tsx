import { useId } from 'react';
import { Text } from '../text/text.tsx';
import styles from './form-dialog.module.css';
import type { Field } from './model/forms.ts';
import { type ControlProps, NamesField, Suggestions } from './names-field.tsx';

type Value = string | readonly string[];

interface FormFieldProps {
  field: Field;
  value: Value;
  /** Why the value is refused: one sentence per line. */
  problem: string | undefined;
  onChange: (value: Value) => void;
}

/** A field of a form: label, what is expected, the control, and what is wrong with the value. */
export function FormField({ field, value, problem, onChange }: FormFieldProps) {
  const id = useId();
  const { label, note, isOptional, kind } = field;
  const control: ControlProps = {
    id,
    'aria-describedby': `${id}-note ${id}-problem`,
    'aria-invalid': problem !== undefined,
  };
  const head = (
    <>
      {label}
      {isOptional && <span className={styles['optional']}> optional</span>}
    </>
  );
  const isGroup = kind === 'ticks';
  return (
    <div className={styles['field']} {...(isGroup && { role: 'group', 'aria-labelledby': `${id}-label` })}>
      {isGroup ? (
        <span id={`${id}-label`} className={styles['label']}>
          {head}
        </span>
      ) : (
        <label htmlFor={id} className={styles['label']}>
          {head}
        </label>
      )}
      {note !== undefined && (
        <p id={`${id}-note`} className={styles['note']}>
          {note}
        </p>
      )}
      <Control field={field} value={value} control={control} onChange={onChange} />
      {problem !== undefined && (
        <p id={`${id}-problem`} className={styles['problem']}>
          <Text lines>{problem}</Text>
        </p>
      )}
    </div>
  );
}

/** The rows of a file: all of them, within limits. */
const rowsOf = (text: string): number => Math.min(14, Math.max(5, text.split('\n').length));

interface ControlOfProps {
  field: Field;
  value: Value;
  control: ControlProps;
  onChange: (value: Value) => void;
}

function Control({ field, value, control, onChange }: ControlOfProps) {
  const text = typeof value === 'string' ? value : '';
  const many = typeof value === 'string' ? [] : value;
  switch (field.kind) {
    case 'line':
      return (
        <>
          <input
            {...control}
            value={text}
            list={field.suggest && `${control.id}-known`}
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => onChange(target.value)}
          />
          {field.suggest && <Suggestions id={`${control.id}-known`} field={field} />}
        </>
      );
    case 'area':
    case 'code':
      return (
        <textarea
          {...control}
          className={styles[field.kind]}
          rows={field.kind === 'code' ? rowsOf(text) : 2}
          value={text}
          spellCheck={field.kind === 'area'}
          wrap={field.kind === 'code' ? 'off' : 'soft'}
          onChange={({ target }) => onChange(target.value)}
        />
      );
    case 'choice':
      return (
        <select {...control} value={text} onChange={({ target }) => onChange(target.value)}>
          {field.options.map(([one, label]) => (
            <option key={one} value={one}>
              {label}
            </option>
          ))}
        </select>
      );
    case 'ticks':
      return (
        <div className={styles['ticks']}>
          {(field.options ?? []).map(([one, label], n) => (
            <label key={one}>
              <input
                type="checkbox"
                {...(n === 0 && control)}
                checked={many.includes(one)}
                onChange={({ target }) =>
                  onChange(target.checked ? [...many, one] : many.filter((other) => other !== one))
                }
              />
              {label}
            </label>
          ))}
        </div>
      );
    case 'names':
      return <NamesField control={control} field={field} values={many} onChange={onChange} />;
  }
}
