import { useEffect, useRef, useState } from 'react';
import { ApiProblem } from '../../client/api-problem.ts';
import { call } from '../../client/call.ts';
import { Button } from '../../parts/control/button.tsx';
import { ErrorPanel } from '../../parts/page/error-panel.tsx';
import type { Period } from '../../parts/plot/model/timeline.ts';
import type { ParamsOf } from '../../routes/params.ts';
import {
  evidencePackage,
  intervalOf,
  isReceipt,
  MOST_CHARACTERS,
  provenSnapshots,
  type SnapshotProof,
} from '../model/evidence-package.ts';
import { isoDay } from '../model/history.ts';
import { type EnvironmentHistory, environmentHistory, type SnapshotSummary, snapshots } from '../operations.ts';
import { INCLUDED, RUNS_PER_PAGE } from '../routes.ts';
import styles from './history.module.css';
import { environmentReceipt, log } from './operations.ts';
import { saveFile } from './save-file.ts';

interface SavePackageProps {
  params: ParamsOf<'environment-history'>;
  history: EnvironmentHistory;
}

const AT_ONCE = 4;

/** Saves the rows of the period with the proofs of its snapshots as one file. The browser puts it together. */
export function SavePackage({ params, history }: SavePackageProps) {
  const [progress, setProgress] = useState<string>();
  const [problem, setProblem] = useState<ApiProblem>();
  const left = useRef(new AbortController());
  useEffect(() => {
    left.current = new AbortController();
    return () => left.current.abort();
  }, []);
  const save = async (): Promise<void> => {
    setProblem(undefined);
    try {
      const text = await packageOf(params, history, left.current.signal, setProgress);
      const { start_ts: from, end_ts: to } = history;
      saveFile(`${params.env}-${isoDay(from)}-${isoDay(to)}-evidence.json`, 'application/json', text);
    } catch (error) {
      // Going to another page ends the calls.
      if (left.current.signal.aborted) return;
      if (!(error instanceof ApiProblem)) throw error;
      setProblem(error);
    } finally {
      setProgress(undefined);
    }
  };
  return (
    <>
      <Button disabled={progress !== undefined} onClick={() => void save()}>
        {progress ?? 'Save with proofs'}
      </Button>
      <a className={styles['verifier']} href="/-/assets/verify.mjs" download>
        Save the verifier
      </a>
      {problem && <ErrorPanel error={problem} retry={() => void save()} />}
    </>
  );
}

async function packageOf(
  { org, env }: ParamsOf<'environment-history'>,
  history: EnvironmentHistory,
  signal: AbortSignal,
  report: (progress: string) => void,
): Promise<string> {
  report('Reading …');
  const { start_ts, end_ts } = history;
  const period = { from: start_ts, to: end_ts };
  const place = { org, env_name: env };
  const pages = Array.from({ length: history.total_pages }, (_, n) => n + 1);
  const [rows, summaries, keys] = await Promise.all([
    Promise.all(
      pages.map((page) =>
        page === history.page
          ? history
          : call(
              environmentHistory,
              place,
              { page, per_page: RUNS_PER_PAGE, include: INCLUDED, start_ts, end_ts },
              undefined,
              { signal },
            ),
      ),
    ),
    readSnapshots(place, period, signal),
    call(log, { org }, {}, undefined, { signal }),
  ]);
  const proven = provenSnapshots(summaries);
  const proofs: SnapshotProof[] = [];
  let characters = 0;
  for (let next = 0; next < proven.length && characters < MOST_CHARACTERS; next += AT_ONCE) {
    report(`Proof ${next + 1} of ${proven.length} …`);
    const some = proven.slice(next, next + AT_ONCE);
    const receipts = await Promise.all(
      some.map((number) => call(environmentReceipt, { ...place, number }, {}, undefined, { signal })),
    );
    for (const [n, receipt] of receipts.entries()) {
      const snapshot = some[n];
      if (snapshot === undefined || !isReceipt(receipt)) continue;
      proofs.push({ snapshot, receipt });
      characters += JSON.stringify(receipt).length;
    }
  }
  const runs = rows.flatMap(({ artifacts }) => artifacts);
  const now = Date.now() / 1000;
  return evidencePackage({ host: location.origin, org, now, history, runs, snapshots: summaries, proofs, log: keys });
}

const SNAPSHOTS_PER_PAGE = 1000;

/** The summaries of all snapshots that held in the period, page by page. A period has at most 10,000 events. */
async function readSnapshots(
  place: { org: string; env_name: string },
  period: Period,
  signal: AbortSignal,
): Promise<SnapshotSummary[]> {
  const all: SnapshotSummary[] = [];
  const interval = intervalOf(period);
  for (let page = 1; all.length === (page - 1) * SNAPSHOTS_PER_PAGE; page += 1) {
    all.push(
      ...(await call(snapshots, place, { interval, page, per_page: SNAPSHOTS_PER_PAGE }, undefined, { signal })),
    );
  }
  return all;
}
