/** A public key for records whose content does not matter. Nobody has its private key any more. */
export const PUBLIC_KEY = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEnPzUCUaIv45BnrIIJ8TRYmRlKYh3
YkcsQQy/eTQK1co5Owk4nKe4xAo35HiWqqN5gSp81XSxGxdGEczWn4rIUw==
-----END PUBLIC KEY-----
`;
