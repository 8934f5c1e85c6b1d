import { useNavigate, useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { returnPath } from '#shared/console/return-path.ts';
import { ApiProblem } from '../client/api-problem.ts';
import { ErrorPanel } from '../parts/page/error-panel.tsx';
import { Skeleton } from '../parts/page/skeleton.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import type { PageProps } from '../routes/route.ts';
import { explanationOf, onceOf } from './model/sign-in.ts';
import type { signInRoute } from './routes.ts';
import { SignInForm } from './sign-in-form.tsx';
import styles from './sign-in-page.module.css';
import { signInOnce } from './user.ts';

/** Signs in with the provider, with a key, or with the one-time link that the local stack prints. */
export default function SignInPage({ search: { next, problem: ofProvider, reason } }: PageProps<typeof signInRoute>) {
  const navigate = useNavigate();
  const router = useRouter();
  const [once] = useState(() => onceOf(location.hash));
  const [problem, setProblem] = useState<ApiProblem>();
  const started = useRef(false);

  const goOn = async (): Promise<void> => {
    await router.invalidate();
    router.history.replace(returnPath(next));
  };

  useEffect(() => {
    // A one-time link is used once, also if this effect runs twice.
    if (once === null || started.current) return;
    started.current = true;
    void navigate({ to: '.', hash: '', replace: true });
    signInOnce(once).then(
      () => router.history.replace(returnPath(next)),
      (error: unknown) => {
        if (!(error instanceof ApiProblem)) throw error;
        setProblem(error);
      },
    );
  }, [once, next, navigate, router]);

  const sentence =
    once !== null && !problem
      ? 'Signing in with the link…'
      : ofProvider
        ? explanationOf(ofProvider).sentence
        : 'The service shows evidence to members of an organization only.';
  return (
    <div className={styles['page']}>
      <VerdictLine kind="Delivery evidence" subject="Sign in" sentence={sentence} />
      {ofProvider && (
        <p className={styles['remedy']}>
          {explanationOf(ofProvider).remedy}
          {reason !== undefined && (
            <>
              {' '}
              Code: <code>{reason}</code>
            </>
          )}
        </p>
      )}
      {problem && <ErrorPanel error={problem} />}
      {once !== null && !problem ? (
        <Skeleton rows={2} />
      ) : (
        <SignInForm next={returnPath(next)} onSignedIn={() => void goOn()} />
      )}
    </div>
  );
}
