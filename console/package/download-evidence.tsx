import { useEffect, useRef, useState } from 'react';
import { ApiProblem } from '../client/api-problem.ts';
import { call } from '../client/call.ts';
import { outgoingLink } from '../model/link-guard.ts';
import { Button } from '../parts/control/button.tsx';
import { useKeys } from '../parts/keys/keyboard.tsx';
import { ErrorPanel } from '../parts/page/error-panel.tsx';
import styles from './download-evidence.module.css';
import { progressText } from './model/progress.ts';
import { newPackage, type Package, packageOf } from './operations.ts';

/** What a package is asked for, as the API takes it. */
type Scope =
  | { type: 'artifact'; flow: string; fingerprint: string }
  | { type: 'trail'; flow: string; trail: string }
  | { type: 'snapshot'; environment: string; index: number }
  | { type: 'evaluation'; evaluation: string }
  | { type: 'period'; environment: string; start_ts: number; end_ts: number };

const POLL_MILLIS = 1000;

/**
 * A button that asks for the evidence of a record as one archive, shows how far it is, and saves it
 * (rules/web-console.md#download-of-evidence).
 */
export function DownloadEvidence({ org, scope }: { org: string; scope: Scope }) {
  const [shown, setShown] = useState<Pick<Package, 'state' | 'waits_for' | 'progress' | 'problem' | 'filename'>>();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem>();
  const left = useRef(new AbortController());
  useEffect(() => {
    left.current = new AbortController();
    return () => left.current.abort();
  }, []);
  const start = async (): Promise<void> => {
    const { signal } = left.current;
    setProblem(undefined);
    setBusy(true);
    try {
      const { id } = await call(newPackage, { org }, {}, scope, { signal });
      for (;;) {
        const made = await call(packageOf, { org, package_id: id }, {}, undefined, { signal });
        setShown(made);
        if (made.state !== 'running') {
          // The address answers a file to save, so the page stays.
          const link = made.download_url === null ? null : outgoingLink(made.download_url);
          if (link) location.assign(link.href);
          return;
        }
        await pause(POLL_MILLIS, signal);
      }
    } catch (error) {
      // Going to another page ends the calls. The package is made nevertheless.
      if (signal.aborted) return;
      if (!(error instanceof ApiProblem)) throw error;
      setProblem(error);
    } finally {
      setBusy(false);
    }
  };
  useKeys({ d: { does: 'Download the evidence of this page', run: () => !isBusy && void start() } });
  return (
    <>
      <Button disabled={isBusy} onClick={() => void start()}>
        Download evidence
      </Button>
      <span role="status" className={styles['status']}>
        {isBusy && !shown && 'Starting …'}
        {shown && progressText(shown)}
        {shown?.state === 'done' && (
          <>
            {' '}
            Check it with the{' '}
            <a href="/-/assets/verify.mjs" download>
              verifier
            </a>
            .
          </>
        )}
      </span>
      {problem && <ErrorPanel error={problem} retry={() => void start()} />}
    </>
  );
}

const pause = (millis: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, millis);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
