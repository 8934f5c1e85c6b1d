import { useState } from 'react';
import { ApiProblem } from '../../client/api-problem.ts';
import { askToSignIn } from '../../client/query-client.ts';
import { Button } from '../control/button.tsx';
import { ErrorPanel } from '../page/error-panel.tsx';
import { Dialog, DialogFoot } from './dialog.tsx';

interface ConfirmProps {
  /** What will be done, to what: `End the session of Firefox`. It is the title and the label of the button. */
  does: string;
  /** What follows from it. */
  children: React.ReactNode;
  danger?: boolean;
  /** False while something is still to be filled in. */
  isReady?: boolean;
  /** Makes the call. If it throws, the dialog shows why and stays. */
  act: () => Promise<unknown>;
  onClose: () => void;
}

/** Asks before a write, by naming the thing. Shows the API's sentence if it refuses. */
export function Confirm({ does, children, danger = false, isReady = true, act, onClose }: ConfirmProps) {
  const [problem, setProblem] = useState<ApiProblem>();
  const [isBusy, setBusy] = useState(false);
  const run = async (): Promise<void> => {
    setBusy(true);
    try {
      await act();
      onClose();
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      if (error.status === 401) askToSignIn();
      setProblem(error);
      setBusy(false);
    }
  };
  return (
    <Dialog title={`${does}?`} onClose={onClose}>
      <div>{children}</div>
      {problem && <ErrorPanel error={problem} isWrite />}
      <DialogFoot>
        <Button onClick={onClose}>Cancel</Button>
        <Button look={danger ? 'danger' : 'primary'} disabled={isBusy || !isReady} onClick={() => void run()}>
          {does}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}
