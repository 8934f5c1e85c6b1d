/** Returns an instant as faults name it. A forged record can have one that no date reaches: then its number stands for it. */
export function instantText(at: number): string {
  const date = new Date(at / 1000);
  return Number.isNaN(date.getTime()) ? `${at} microseconds` : date.toISOString();
}
