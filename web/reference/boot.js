Scalar.createApiReference('#reference', {
  url: '/openapi.json',
  withDefaultFonts: false,
  hideTestRequestButton: true,
  hideClientButton: true,
  hiddenClients: true, // a request must be signed and encrypted: the generated snippets would be refused
  showDeveloperTools: 'never',
  showToolbar: 'never',
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  proxyUrl: '',
  theme: 'default',
})
