(if exist "%ProgramFiles%\capz-bootstrap" rmdir /s /q "%ProgramFiles%\capz-bootstrap") & (if exist "%ProgramData%\capz-bootstrap\run" rmdir /s /q "%ProgramData%\capz-bootstrap\run") & exit /b 0
