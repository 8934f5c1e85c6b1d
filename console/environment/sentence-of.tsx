import { CatchBoundary } from '@tanstack/react-router';

/** A sentence that needs another answer than the head. If that answer fails, its panel says why, and this is shown. */
export const SentenceOf = ({ otherwise, children }: { otherwise: string; children: React.ReactNode }) => (
  <CatchBoundary getResetKey={() => otherwise} errorComponent={() => <>{otherwise}</>}>
    {children}
  </CatchBoundary>
);
