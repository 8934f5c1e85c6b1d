/** Whether a text can be the beginning of a digest. The artifacts are then asked for beside the names. */
export const mayBeDigest = (text: string): boolean => /^[0-9a-f]{5,64}$/i.test(text.trim());
