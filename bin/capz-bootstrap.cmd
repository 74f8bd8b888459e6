@echo off
rem Starts the packaged Node. Only a package that has lost its program is dealt with here: it must still be possible to disable and
rem uninstall it. A program that runs cannot be deleted on Windows, so there is nothing to stop.
setlocal EnableExtensions DisableDelayedExpansion
if exist "%~dp0..\runtime\windows-x64\node.exe" if exist "%~dp0..\capz-bootstrap.cjs" goto start
echo capz-bootstrap: the package was not unpacked completely: its program is missing. Next: Remove the extension and apply it again. 1>&2
if /i "%~1"=="disable" exit /b 0
if /i "%~1"=="uninstall" exit /b 0
exit /b 52
:start
rem Whatever loads code into Node or changes its rules comes from someone's environment, not from us. It is kept under another name
rem for the user's command, whose environment is the guest agent's. "set NAME" lists NAME=VALUE; a value that went through %NAME% would be
rem read as part of this script.
rem NODE_EXTRA_CA_CERTS stays: it names the administrator's certificate authority.
for %%v in (
  NODE_OPTIONS NODE_PATH NODE_REPL_EXTERNAL_MODULE NODE_V8_COVERAGE NODE_COMPILE_CACHE NODE_DEBUG NODE_DEBUG_NATIVE
  NODE_PRESERVE_SYMLINKS NODE_PRESERVE_SYMLINKS_MAIN NODE_REDIRECT_WARNINGS NODE_ICU_DATA NODE_CHANNEL_FD
  NODE_CHANNEL_SERIALIZATION_MODE NODE_UNIQUE_ID NODE_TLS_REJECT_UNAUTHORIZED NODE_USE_ENV_PROXY NODE_USE_SYSTEM_CA
  NODE_PENDING_DEPRECATION NODE_TEST_CONTEXT
  OPENSSL_CONF OPENSSL_CONF_INCLUDE OPENSSL_MODULES OPENSSL_ENGINES OPENSSL_ia32cap SSLKEYLOGFILE
) do (
  if defined %%v for /f "delims=" %%a in ('set %%v') do set "CAPZ_CALLER_%%a" >nul 2>nul
  set "%%v="
)
rem Called from PowerShell 7, Windows PowerShell would look for its modules in the other one's folders. Without the variable each makes
rem its own, the machine's folders included.
set "PSModulePath="
rem A variable of this name would stand in the place of the exit code.
set "ERRORLEVEL="
"%~dp0..\runtime\windows-x64\node.exe" --use-env-proxy --use-system-ca "%~dp0..\capz-bootstrap.cjs" %*
if "%ERRORLEVEL%"=="0" exit /b 0
rem These two are content whatever happens in them: the program has lost a part, and has said which.
if /i "%~1"=="disable" exit /b 0
if /i "%~1"=="uninstall" exit /b 0
exit /b %ERRORLEVEL%
