import { type FormEvent, useId, useState } from 'react';
import { ApiProblem } from '../client/api-problem.ts';
import { Button } from '../parts/control/button.tsx';
import { Skeleton } from '../parts/page/skeleton.tsx';
import { providerName } from './model/sign-in.ts';
import styles from './sign-in-form.module.css';
import { signIn, signInAtProvider, useIssuer } from './user.ts';

interface SignInFormProps {
  /** Path of the page to go on with, for a sign-in with the provider. That sign-in leaves this page. */
  next: string;
  onSignedIn: () => void;
}

/** The ways to sign in: with the provider, if there is one, and with an API key. */
export function SignInForm({ next, onSignedIn }: SignInFormProps) {
  const issuer = useIssuer();
  if (issuer === undefined) return <Skeleton rows={3} />;
  if (issuer === null) return <KeyForm onSignedIn={onSignedIn} />;
  return (
    <div className={styles['form']}>
      <div className={styles['foot']}>
        <Button look="primary" onClick={() => signInAtProvider(next)}>
          Sign in with {providerName(issuer)}
        </Button>
      </div>
      <details>
        <summary className={styles['summary']}>Sign in with an API key</summary>
        <KeyForm onSignedIn={onSignedIn} />
      </details>
    </div>
  );
}

/** The form that turns an API key into a session of this browser. */
function KeyForm({ onSignedIn }: Pick<SignInFormProps, 'onSignedIn'>) {
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  const id = useId();

  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    const key = String(new FormData(form).get('key') ?? '').trim();
    if (key === '') return setProblem('Paste an API key.');
    setBusy(true);
    try {
      await signIn(key);
      form.reset();
      onSignedIn();
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      setProblem(
        error.status === 401 ? 'The service does not know this key, or the key expired or was revoked.' : error.message,
      );
    } finally {
      setBusy(false);
    }
  };

  return (
    <form className={styles['form']} onSubmit={(event) => void submit(event)}>
      <label className={styles['label']} htmlFor={id}>
        API key
        <input
          id={id}
          name="key"
          type="password"
          className={styles['input']}
          autoComplete="off"
          spellCheck={false}
          aria-describedby={`${id}-note`}
          aria-invalid={problem !== ''}
        />
      </label>
      {problem !== '' && (
        <p className={styles['problem']} role="alert">
          {problem}
        </p>
      )}
      <p className={styles['note']} id={`${id}-note`}>
        The key is used once, to start a session of at most 12 hours in this browser. The browser does not keep the key.
      </p>
      <div className={styles['foot']}>
        <Button type="submit" look="primary" disabled={isBusy}>
          Sign in
        </Button>
      </div>
    </form>
  );
}
