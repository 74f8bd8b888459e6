/** CAPZ's own command for Windows nodes, as it is attached today: the arguments of powershell.exe. */
export const capzWindowsScript =
  "for ($i = 0; $i -lt 60; $i++) {if (Test-Path '/run/cluster-api/bootstrap-success.complete') {exit 0} else {Start-Sleep -Seconds 5}} exit -2";

export const capzWindowsCommand = `powershell.exe -Command "${capzWindowsScript}"`;
