import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useLayoutEffect, useRef, useState } from 'react';
import { ApiProblem } from '../../client/api-problem.ts';
import { addressOf } from '../../client/operations.ts';
import { askToSignIn } from '../../client/query-client.ts';
import { curlOfWrite } from '../../model/commands.ts';
import { targetOf } from '../../routes/target.ts';
import { Button } from '../control/button.tsx';
import { ErrorPanel } from '../page/error-panel.tsx';
import { Code } from '../text/code.tsx';
import { Dialog, DialogFoot } from './dialog.tsx';
import styles from './form-dialog.module.css';
import { FormField } from './form-field.tsx';
import { findProblems, initialValues, isChanged, placeErrors, type Values, type Write } from './model/forms.ts';
import { sendWrite } from './send-write.ts';
import { Trial } from './trial.tsx';

interface FormDialogProps {
  write: Write;
  onClose: () => void;
  /** The service accepted the write, and the page was read again. */
  onDone: () => void;
}

const NONE: ReadonlyMap<string, string> = new Map();

/**
 * The form of a write. It keeps what was typed until the service accepts it or the person gives it up: whatever the service
 * answers, and if it does not answer at all.
 */
export default function FormDialog({ write, onClose, onDone }: FormDialogProps) {
  const { fields, does, sends = does, about, isDanger = false, isShown, opens } = write;
  const [values, setValues] = useState<Values>(() => initialValues(fields));
  const [problems, setProblems] = useState(NONE);
  const [failure, setFailure] = useState<ApiProblem>();
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const giveUp = useRef<HTMLButtonElement>(null);
  const keyOf = useIdempotencyKey();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const changed = isChanged(fields, values);

  // To the first field with a problem, or to the reason. It happens with the change of the page, not after it, so that the
  // focus does not leave a field in which somebody types already.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer of the service counts
  useLayoutEffect(() => {
    const field = form.current?.querySelector<HTMLElement>('[aria-invalid=true]');
    field?.focus();
    (field ?? form.current?.querySelector('[role=alert]'))?.scrollIntoView({ block: 'nearest' });
  }, [problems, failure]);
  const show = (found: ReadonlyMap<string, string>, error?: ApiProblem): void => {
    setProblems(found);
    setFailure(error);
  };
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    const missing = findProblems(write, values);
    if (missing.size > 0) return show(missing);
    setBusy(true);
    try {
      const request = write.request(values);
      await sendWrite(write, request, keyOf(request));
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      if (error.status === 401) askToSignIn();
      show(placeErrors(write, values, error.fields), error);
      return;
    } finally {
      setBusy(false);
    }
    if (opens) {
      const { page, params } = opens(values);
      await navigate(targetOf(page, params));
    }
    await queries.invalidateQueries();
    onDone();
  };

  return (
    <Dialog
      title={Object.keys(fields).length === 0 ? `${does}?` : does}
      isWide={Object.values(fields).some(({ kind }) => kind === 'code')}
      onClose={changed ? () => giveUp.current?.focus() : onClose}
    >
      <form ref={form} noValidate className={styles['form']} onSubmit={(event) => void submit(event)}>
        {about !== undefined && <p>{about}</p>}
        {Object.entries(fields)
          .filter(([name]) => isShown?.(name, values) !== false)
          .map(([name, field]) => (
            <FormField
              key={name}
              field={field}
              value={values[name] ?? ''}
              problem={problems.get(name)}
              onChange={(value) => setValues((before) => ({ ...before, [name]: value }))}
            />
          ))}
        <Trial key={JSON.stringify(values)} write={write} values={values} onRefused={show} />
        <Failure failure={failure} problems={problems} />
        <Curl write={write} values={values} />
        <DialogFoot isSticky>
          <Button ref={giveUp} onClick={onClose}>
            {changed ? 'Discard' : 'Cancel'}
          </Button>
          <Button type="submit" look={isDanger ? 'danger' : 'primary'} aria-disabled={isBusy}>
            {isBusy ? 'Sending …' : sends}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}

/** What is wrong: a line if the fields say it, else the sentence of the API and what to do. */
function Failure({ failure, problems }: { failure: ApiProblem | undefined; problems: ReadonlyMap<string, string> }) {
  const elsewhere = problems.get('');
  const marked = problems.size - (elsewhere === undefined ? 0 : 1);
  if (failure === undefined || (failure.status === 400 && marked > 0 && elsewhere === undefined)) {
    return (
      marked > 0 && (
        <p className={styles['problem']} role="alert">
          {marked === 1
            ? 'Nothing was changed. Correct the marked field.'
            : 'Nothing was changed. Correct the marked fields.'}
        </p>
      )
    );
  }
  return <ErrorPanel error={failure} isWrite />;
}

/** The call that the form would send now, folded. */
function Curl({ write, values }: { write: Write; values: Values }) {
  const { method, path } = write.operation;
  const { params, ...sent } = write.request(values);
  return (
    <details className={styles['curl']}>
      <summary>The same with curl</summary>
      <Code what="curl" wrap>
        {curlOfWrite(location.origin, { method, path: addressOf(path, params), ...sent })}
      </Code>
    </details>
  );
}

/** Gives equal requests of a form the same key, so that one that is sent twice has one effect. */
function useIdempotencyKey(): (request: object) => string {
  const last = useRef({ text: '', key: '' });
  return (request) => {
    const text = JSON.stringify(request);
    if (text !== last.current.text) last.current = { text, key: crypto.randomUUID() };
    return last.current.key;
  };
}
