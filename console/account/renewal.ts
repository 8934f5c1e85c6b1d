import { useEffect } from 'react';
import { ApiProblem } from '../client/api-problem.ts';
import { isRenewalDue } from './model/sign-in.ts';
import { renewSession, useUser } from './user.ts';

/** Time of the last try, in seconds. All pages share it. */
let triedAt = 0;

/** Renews the session of a sign-in while the person clicks and types (rules/sign-in.md#session-of-a-sign-in). */
export function useRenewal(): void {
  const credential = useUser()?.credential;
  useEffect(() => {
    if (!credential) return;
    const renew = () => {
      const now = Date.now() / 1000;
      if (!isRenewalDue(credential, now, triedAt)) return;
      triedAt = now;
      renewSession().catch((error: unknown) => {
        // The next call of the page says that the session ended.
        if (!(error instanceof ApiProblem)) throw error;
      });
    };
    addEventListener('pointerdown', renew);
    addEventListener('keydown', renew);
    return () => {
      removeEventListener('pointerdown', renew);
      removeEventListener('keydown', renew);
    };
  }, [credential]);
}
